/** Facts that a turn hands to its journal before they take effect or are shown as done. */
import type {
  AssistantMessage,
  FinishReason,
  JsonValue,
  SerializedError,
  Usage,
  UserMessage,
} from "./conversation.ts";
import type { PendingCall, StepTiming } from "./events.ts";
import type { ChatMessage } from "./conversation.ts";
import type { ToolResult } from "./tool.ts";

/** A fact of a turn, recorded before the effect that depends on it. */
export type Fact =
  | {
      readonly type: "attempt";
      readonly step: number;
      readonly attempt: number;
      /** Id that the assistant message of this attempt will have. */
      readonly messageId: string;
      /** Name and index of the model that is asked, if there are several. */
      readonly model?: string;
      readonly modelIndex?: number;
    }
  | {
      readonly type: "attempt_ended";
      readonly step: number;
      readonly attempt: number;
      /** `discarded`: another attempt follows after `delayMs`. `failed`: no other attempt follows. `rejected`: a guard rejected the reply. */
      readonly outcome: "completed" | "discarded" | "failed" | "aborted" | "rejected";
      /** Name and index of the model that was asked, if there are several: the usage is that model's. */
      readonly model?: string;
      readonly usage?: Usage;
      readonly timing?: StepTiming;
      readonly error?: SerializedError;
      readonly delayMs?: number;
      /** The rejected reply. It is in no transcript. */
      readonly rejected?: AssistantMessage;
    }
  /** A guard rejected these messages, and the turn ends. No model is shown them. */
  | {
      readonly type: "input_rejected";
      readonly step: number;
      readonly messageIds: readonly string[];
      readonly error: SerializedError;
    }
  /** The choice of `prepareStep` for a step, and the messages that it appends before the step. */
  | {
      readonly type: "step_prepared";
      readonly step: number;
      readonly choice: JsonValue;
      readonly messages?: readonly ChatMessage[];
    }
  | {
      readonly type: "message";
      readonly step: number;
      readonly message: AssistantMessage | UserMessage;
    }
  /** Calls that wait from now on. Remote calls that need no approval are recorded together with their message. */
  | { readonly type: "pending"; readonly step: number; readonly pending: readonly PendingCall[] }
  /** A running call suspends itself. It runs again once all of `pending` is answered, or earlier: see `SuspensionRequest`. */
  | {
      readonly type: "suspended";
      readonly step: number;
      readonly toolCallId: string;
      readonly pending: readonly PendingCall[];
      readonly state: JsonValue;
      readonly wakeAt?: number;
      readonly reports?: number;
      /** True if calls that the tool made itself ask the questions. */
      readonly isNested?: boolean;
      /** Only if it differs from the model's input. */
      readonly input?: JsonValue;
      /** Tokens that the tool spent on its own model calls so far, since it last ran. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | {
      readonly type: "tool_intent";
      readonly step: number;
      readonly toolCallId: string;
      readonly key: string;
      /** Only if it differs from the model's input. */
      readonly input?: JsonValue;
    }
  | {
      readonly type: "tool_result";
      readonly step: number;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly durationMs?: number;
      /** Tokens that the tool spent on its own model calls. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** A call that a tool makes itself is about to start. `within`: id of the model's call. */
  | {
      readonly type: "nested_intent";
      readonly step: number;
      readonly within: string;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      /** Hash of the tool's name and the input. */
      readonly hash: string;
      readonly key: string;
    }
  | {
      readonly type: "nested_result";
      readonly step: number;
      readonly within: string;
      readonly toolCallId: string;
      readonly toolName: string;
      /** Only if there was no intent. */
      readonly input?: JsonValue;
      readonly hash: string;
      readonly result: ToolResult;
      readonly durationMs?: number;
      /** Tokens that the tool spent on its own model calls. */
      readonly usage?: Usage;
      readonly cost?: number;
    }
  | {
      readonly type: "steering_delivered";
      readonly step: number;
      readonly messages: readonly ChatMessage[];
    }
  | {
      readonly type: "turn_ended";
      readonly finishReason: FinishReason;
      readonly usage: Usage;
      readonly durationMs?: number;
      readonly pending?: readonly PendingCall[];
      readonly error?: SerializedError;
      readonly abortReason?: string;
    };

/**
 * Called with facts in order; never while an earlier call is under way. The kernel waits only if a promise is returned. "reopen" answers a
 * `turn_ended`, which then did not happen: if calls were pending, answers arrived in the meantime and the turn continues; in any case, if
 * the signal was aborted in the meantime, the turn ends as aborted. If the journal throws or rejects, no further effect happens and the turn
 * returns `error` with code `journal_failed`.
 *
 * `isFollowed`: other facts follow at once. Until then the loop asks only the caller's `checkLimits`, `makeRoom`, `drainSteering` and
 * `breathe`, and nothing takes effect, so these facts may be stored together with the next ones.
 */
export type Journal = (
  facts: readonly Fact[],
  isFollowed?: boolean,
) => JournalReply | Promise<JournalReply>;

/** Answer of the journal to facts. `"reopen"` undoes the end of the turn, as `Journal` says. */
export type JournalReply = void | undefined | "reopen";
