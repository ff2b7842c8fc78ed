/** The handle of a turn under way, the same in process and in a client. */
import type { ChatMessage, FinishReason, SerializedError, Usage } from "./conversation.ts";
import type { AgentEvent, PendingCall } from "./events.ts";

export type TurnStatus = "completed" | "awaiting_tool_execution" | "aborted" | "error";

export interface TurnResponse<Output = unknown> {
  readonly status: TurnStatus;
  /** The text of the last assistant message. */
  readonly text: string;
  /** The new messages only. */
  readonly messages: readonly ChatMessage[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly cost?: number;
  readonly pendingToolCalls?: readonly PendingCall[];
  /** The typed answer, where the agent has a schema for it. */
  readonly output?: Output;
  readonly error?: SerializedError;
}

/** Iterating it, once, gives the events; leaving the loop early does not stop the turn. */
export interface Turn<Output = unknown> extends AsyncIterable<AgentEvent> {
  readonly id: string;
  readonly events: AsyncIterable<AgentEvent>;
  /** Always resolves, also for a turn that failed. */
  readonly response: Promise<TurnResponse<Output>>;
  result(): Promise<TurnResponse<Output>>;
  abort(reason?: string): void;
}
