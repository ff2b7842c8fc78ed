/** The event vocabulary: facts in order, as deltas, JSON only. */
import type {
  ChatMessage,
  FinishReason,
  JsonValue,
  SerializedError,
  ToolCallPart,
  ToolContent,
  Usage,
} from "./conversation.ts";

/** Durations of one attempt; only if a clock was given. */
export interface StepTiming {
  /** Time to the first content. Undefined if there was none. */
  readonly ttftMs?: number;
  /** Time from the first content to the end. */
  readonly decodeMs?: number;
  readonly totalMs: number;
}

/** One level between a session and a child session: the call of the session's agent, and the child that works on it. */
export interface ChildStep {
  /** Name of the child's agent. */
  readonly agent: string;
  /** Id of the child session. */
  readonly sessionId: string;
  /** Call of the parent that the child works on. */
  readonly toolCallId: string;
}

/** A call that waits for an answer from outside: its execution, or an approval. */
export interface PendingCall {
  readonly toolCallId: string;
  readonly kind: "execution" | "approval";
  readonly toolName: string;
  /** Final: an approval runs exactly this. */
  readonly input: JsonValue;
  /** Hash of tool, input and call id. An approval names it. */
  readonly hash: string;
  readonly deadlineAt?: number;
  readonly reason?: string;
  /** Client that lent the tool, if one did: that client runs the call. */
  readonly lentBy?: string;
  /** Path to the child session whose call this is, from the top down. Undefined for a call of the session itself. */
  readonly via?: readonly ChildStep[];
}

/** A part of a message that is still being streamed. `input` is set once the arguments are complete. */
export type LivePart =
  | { readonly type: "text"; readonly text: string; readonly omittedChars?: number }
  | { readonly type: "thinking"; readonly thinking: string; readonly omittedChars?: number }
  | {
      readonly type: "tool_call";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly inputText: string;
      readonly input?: JsonValue;
      readonly omittedChars?: number;
    };

/** Reply that is still being written. */
export interface LiveMessage {
  readonly id: string;
  readonly content: readonly LivePart[];
}

/** Output that a tool has shown so far. */
export interface LiveToolOutput {
  readonly toolCallId: string;
  readonly output: string;
  /** Characters that a snapshot has left out before `output`. */
  readonly omittedChars?: number;
}

/**
 * An event without the ids of its conversation and turn, which a wire states once per stream.
 *
 * An attempt opens an assistant message: `message_start` follows each `attempt_start`. If no `message_end` follows before
 * `attempt_discarded` or `step_end`, the attempt left no message, and its content is void. A step that was shown to start also ends, unless
 * the turn is suspended in it; then the turn that continues it shows its end. Refusals are shown as text. A `tool_execution_end` without a
 * start belongs to a call that was answered without being run.
 */
export type AgentEventBody =
  | {
      readonly type: "turn_start";
      /** Ids of the messages that start this turn; they follow as message events. */
      readonly input: readonly string[];
      readonly continues?: string;
    }
  | {
      readonly type: "turn_end";
      readonly finishReason: FinishReason;
      readonly usage: Usage;
      readonly cost?: number;
      readonly durationMs?: number;
      readonly pending?: readonly PendingCall[];
      readonly error?: SerializedError;
    }
  | { readonly type: "step_start"; readonly step: number }
  | {
      readonly type: "step_end";
      readonly step: number;
      readonly finishReason: FinishReason;
      readonly usage?: Usage;
      readonly timing?: StepTiming;
    }
  | { readonly type: "attempt_start"; readonly step: number; readonly attempt: number }
  | {
      readonly type: "attempt_discarded";
      readonly step: number;
      readonly attempt: number;
      /** Name of the model that failed, if it is one of several or the log has it. */
      readonly model?: string;
      readonly error: SerializedError;
      readonly delayMs: number;
    }
  | {
      readonly type: "message_start";
      readonly role: ChatMessage["role"];
      readonly messageId: string;
    }
  | { readonly type: "message_end"; readonly message: ChatMessage; readonly cost?: number }
  | { readonly type: "text_start" }
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "text_end"; readonly text: string }
  | { readonly type: "thinking_start" }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "thinking_end"; readonly thinking: string }
  | {
      readonly type: "toolcall_start";
      readonly index: number;
      readonly id: string;
      readonly name: string;
    }
  | { readonly type: "toolcall_delta"; readonly index: number; readonly delta: string }
  | { readonly type: "toolcall_end"; readonly index: number; readonly toolCall: ToolCallPart }
  | {
      readonly type: "tool_execution_start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | { readonly type: "tool_execution_delta"; readonly toolCallId: string; readonly delta: string }
  | {
      readonly type: "tool_execution_end";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: ToolContent;
      readonly details?: JsonValue;
      readonly isError: boolean;
      /** True if the call was denied: it did not run. */
      readonly isDenied?: boolean;
      readonly durationMs?: number;
    }
  /** A running tool calls another one. `within`: id of the model's call. */
  | {
      readonly type: "nested_call_start";
      readonly within: string;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | {
      readonly type: "nested_call_end";
      readonly within: string;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: ToolContent;
      readonly details?: JsonValue;
      readonly isError: boolean;
      readonly isDenied?: boolean;
      readonly durationMs?: number;
    }
  | {
      readonly type: "awaiting_tool_execution";
      readonly pending: readonly PendingCall[];
      /** Call that its own tool has suspended with these questions: it no longer runs. */
      readonly toolCallId?: string;
    }
  | {
      readonly type: "steering_delivered";
      readonly ids: readonly string[];
      readonly step: number;
    }
  | {
      readonly type: "steering_returned";
      readonly ids: readonly string[];
      readonly reason: string;
    }
  /** A child session works on the call, under an id and in a log of its own. */
  | {
      readonly type: "child_started";
      readonly toolCallId: string;
      readonly childId: string;
      readonly agent: string;
      /** Set if the call does not wait for the child. */
      readonly mode?: "background";
    }
  /** Calls that wait in a child in the background, instead of those before; none, if it works again. Between two turns, `turnId` is the child's. */
  | {
      readonly type: "child_waiting";
      readonly toolCallId: string;
      readonly childId: string;
      readonly pending: readonly PendingCall[];
    }
  | {
      readonly type: "child_ended";
      readonly toolCallId: string;
      readonly childId: string;
      readonly outcome: "answered" | "failed" | "stopped";
      /** Why it was stopped, if it was not by a caller. */
      readonly reason?: "out-of-time";
      readonly usage?: Usage;
      readonly cost?: number;
    }
  /** Another agent has the conversation from the next request on. */
  | { readonly type: "handed_off"; readonly toolCallId: string; readonly agent: string }
  | { readonly type: "compaction_start" }
  | {
      readonly type: "compaction_end";
      readonly through: string;
      readonly before: number;
      readonly after: number;
      readonly usage?: Usage;
    }
  /** The context stays as it is: the summary failed, was aborted, or there was nothing to summarize. */
  | {
      readonly type: "compaction_failed";
      readonly reason: "nothing" | "failed" | "aborted";
      readonly error?: SerializedError;
      readonly usage?: Usage;
    }
  | { readonly type: "context_evicted"; readonly toolCallIds: readonly string[] }
  /** Between two turns: the messages after this one no longer belong to the conversation. Without `to`, no message is left. */
  | { readonly type: "history_rewound"; readonly to?: string }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "error"; readonly error: SerializedError }
  | {
      readonly type: "snapshot";
      /** The assistant message so far, while one is open. */
      readonly message?: LiveMessage;
      readonly toolOutputs: readonly LiveToolOutput[];
    }
  | { readonly type: "settled" };

/** Ids of every event. */
export interface EventIds {
  readonly turnId: string;
}

/** Ids of the events of a turn whose caller passes no others. */
export interface ConversationIds extends EventIds {
  readonly conversationId: string;
}

/** An event as in-process readers get it. */
export type AgentEvent<Ids = ConversationIds> = AgentEventBody & Ids;
