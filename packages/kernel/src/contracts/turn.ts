/** Handle of a turn under way, identical in process and in a client. */
import type { ChatMessage, FinishReason, SerializedError, Usage } from "./conversation.ts";
import type { AgentEvent, EventIds, PendingCall } from "./events.ts";

export type TurnStatus = "completed" | "awaiting_tool_execution" | "aborted" | "error";

export interface TurnResponse<Output = unknown> {
  readonly status: TurnStatus;
  /** Text of the last assistant message. */
  readonly text: string;
  /** Only the new messages. */
  readonly messages: readonly ChatMessage[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly cost?: number;
  readonly pendingToolCalls?: readonly PendingCall[];
  /** Typed answer, if the agent has a schema for it. */
  readonly output?: Output;
  readonly error?: SerializedError;
}

// `out` is stated because TypeScript would measure it in every program that reads a turn, with 500 types.

/** Iterating it, once, yields the events; leaving the loop early does not stop the turn. */
export interface Turn<
  Output = unknown,
  out Event extends AgentEvent<EventIds> = AgentEvent,
> extends AsyncIterable<Event> {
  readonly id: string;
  readonly events: AsyncIterable<Event>;
  /** Always resolves, even if the turn failed. */
  readonly response: Promise<TurnResponse<Output>>;
  result(): Promise<TurnResponse<Output>>;
  abort(reason?: string): void;
}
