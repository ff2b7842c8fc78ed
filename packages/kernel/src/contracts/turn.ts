/** Handle of a turn under way, identical in process and in a client. */
import type {
  ChatMessage,
  FinishReason,
  JsonValue,
  SerializedError,
  Usage,
} from "./conversation.ts";
import type { AgentEvent, EventIds, PendingCall } from "./events.ts";

/** Status of a turn that has ended or waits. */
export type TurnStatus = "completed" | "awaiting_tool_execution" | "aborted" | "error";

/** Result of a turn. It is always there: failures are in `error`. */
export interface TurnResponse<Output = unknown> {
  readonly status: TurnStatus;
  /** Text of the last assistant message, or of the tool that ended the turn. */
  readonly text: string;
  /**
   * Whether `text` is an answer. False if the turn failed, waits or was aborted, if the model or its vendor refused, if a limit ended the turn
   * before a reply, and if the reply is empty.
   */
  readonly hasAnswer: boolean;
  /** Only the new messages. */
  readonly messages: readonly ChatMessage[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  readonly cost?: number;
  readonly pendingToolCalls?: readonly PendingCall[];
  /** Provider's information about the last reply, such as its id. */
  readonly metadata?: JsonValue;
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
