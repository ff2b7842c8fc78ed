/** What a host or a session refuses, and why. */
import type { Refusal } from "@capstan/log";
import { RepositoryError } from "@capstan/log";

export type SessionErrorCode =
  | Refusal
  /** No agent of this name is known to the host. */
  | "unknown_agent"
  /** The turn ended without an answer: aborted, failed, or waiting for somebody. */
  | "no_answer"
  | "invalid_input"
  | "not_found"
  | "exists"
  /** The store failed: what was sent may or may not be there. Send it again with the same id. */
  | "unavailable"
  | "host_closed";

export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly sessionId: string | undefined;

  constructor(
    code: SessionErrorCode,
    message: string,
    options?: ErrorOptions & { readonly sessionId?: string },
  ) {
    super(message, options);
    this.code = code;
    this.sessionId = options?.sessionId;
  }
}

const refusals: Record<Refusal, string> = {
  not_pending: "No call with this id waits for an answer",
  already_answered: "This call has an answer already",
  hash_mismatch: "The decision is about another tool, input or call than the one that waits",
  wrong_kind: "This call waits for a decision, not for a result, or the other way round",
  turn_unfinished:
    "A turn is under way or waits for answers: wait for its end, answer it, or abort it",
  turn_over: "The turn to be cancelled is over",
};

export function refused(sessionId: string, code: Refusal): SessionError {
  return new SessionError(code, `${refusals[code]} (session ${sessionId})`, { sessionId });
}

/** What a store threw, as the caller of a session gets it. */
export function toSessionError(sessionId: string, thrown: unknown): unknown {
  if (!(thrown instanceof RepositoryError)) return thrown;
  const { code, message } = thrown;
  const isKnown = code === "not_found" || code === "exists";
  return new SessionError(isKnown ? code : "unavailable", message, { cause: thrown, sessionId });
}
