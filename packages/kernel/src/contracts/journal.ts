/** What a turn hands to its journal before it takes effect or is shown as done. */
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

export type Fact =
  | {
      readonly type: "attempt";
      readonly step: number;
      readonly attempt: number;
      /** The id that the assistant message of this attempt will have. */
      readonly messageId: string;
      /** Which of several models is asked, by its name and its index. */
      readonly model?: string;
      readonly modelIndex?: number;
    }
  | {
      readonly type: "attempt_ended";
      readonly step: number;
      readonly attempt: number;
      /** `discarded`: another attempt follows after `delayMs`. `failed`: none does. */
      readonly outcome: "completed" | "discarded" | "failed" | "aborted";
      /** Which of several models was asked: the usage is that model's. */
      readonly model?: string;
      readonly usage?: Usage;
      readonly timing?: StepTiming;
      readonly error?: SerializedError;
      readonly delayMs?: number;
    }
  | {
      readonly type: "message";
      readonly step: number;
      readonly message: AssistantMessage | UserMessage;
    }
  /** Calls that wait from now on. Remote calls that need no consent come together with their message. */
  | { readonly type: "pending"; readonly step: number; readonly pending: readonly PendingCall[] }
  | {
      readonly type: "tool_intent";
      readonly step: number;
      readonly toolCallId: string;
      readonly key: string;
      /** Only where it differs from what the model sent. */
      readonly input?: JsonValue;
    }
  | {
      readonly type: "tool_result";
      readonly step: number;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly result: ToolResult;
      readonly durationMs?: number;
      /** What the tool spent on models of its own. */
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
 * Called with facts in order; never while an earlier call is under way. The kernel waits only if a promise comes back.
 * "reopen" answers a `turn_ended`, which then did not happen: with pending calls, answers came meanwhile and the turn goes on;
 * in any case, the signal was aborted meanwhile and the turn ends so. If it throws or rejects, no further effect happens and the turn returns `error` with code `journal_failed`.
 */
export type Journal = (facts: readonly Fact[]) => JournalReply | Promise<JournalReply>;

export type JournalReply = void | undefined | "reopen";
