/** Session and turn that user code runs for: who is asking. Plain JSON from the log, so it is the same in every process. */
import type { JsonValue } from "@capstan/kernel";

/** The session that user code runs for. */
export interface SessionInfo {
  readonly id: string;
  /** Owner of the session, if one was given. */
  readonly principal?: string;
  /** Metadata of the session when the turn started. */
  readonly metadata?: JsonValue;
}

/** The turn that user code runs for. */
export interface TurnInfo {
  readonly id: string;
  /** Metadata of the send, or of the queued message that started the turn; a turn that continues another has the first one's. */
  readonly metadata?: JsonValue;
}

/** Context of code that outlives a turn. */
export interface SessionContext {
  readonly session: SessionInfo;
}

/** Context of everything that runs for one turn: tools, hooks, approvals, instructions, dependencies. */
export interface TurnContext<App = unknown> extends SessionContext {
  readonly turn: TurnInfo;
  /** Application context, validated by the `appContext` of the agent or the tool; undefined without one. */
  readonly app: App;
}

/** Context of code that runs without a session, as in a test of a tool. */
export const noContext: TurnContext = { session: { id: "" }, turn: { id: "" }, app: undefined };
