/** What a host or a session refuses, and why. */
import { CapstanError, serializeError } from "@capstan/kernel";
import type { SerializedError } from "@capstan/kernel";
import type { Refusal, RepositoryError, RepositoryErrorCode } from "@capstan/log";
import { LogError, isRepositoryError } from "@capstan/log";

export type SessionErrorCode =
  | Refusal
  /** No agent of this name is known to the host. */
  | "unknown_agent"
  /** The turn ended without an answer: aborted, failed, or waiting for somebody. */
  | "no_answer"
  | "invalid_input"
  /** The id was used before, for something else. */
  | "id_conflict"
  /** There is no summary: the model that was asked gave none, or was stopped. */
  | "compaction_failed"
  | "not_found"
  | "exists"
  /** The store failed: what was sent may or may not be there. Send it again with the same id. */
  | "unavailable"
  /** The runtime failed, or the store broke its contract: the turn could not go on. */
  | "engine_failed"
  /** The turn was resumed too often without getting further. */
  | "resume_limit"
  /** The session was set aside, with a reason: no host works on it until it is released. */
  | "set_aside"
  | "host_closed";

export interface SessionErrorOptions extends ErrorOptions {
  readonly sessionId?: string;
  readonly turnError?: SerializedError;
}

export class SessionError extends CapstanError<SessionErrorCode> {
  override readonly name = "SessionError";
  readonly sessionId: string | undefined;
  /** How the turn failed, where it did. */
  readonly turnError: SerializedError | undefined;

  constructor(code: SessionErrorCode, message: string, options: SessionErrorOptions = {}) {
    super(code, message, options);
    this.sessionId = options.sessionId;
    this.turnError = options.turnError;
  }
}

export function invalid(message: string, options?: ErrorOptions): SessionError {
  return new SessionError("invalid_input", message, options);
}

/** Nothing that has an id is replaced by what is sent with the same one. */
export function taken(id: string): SessionError {
  const message = `The id "${id}" is that of something else in this session, and what is sent with it now was not taken: choose another`;
  return new SessionError("id_conflict", message);
}

const refusals: Record<Refusal, string> = {
  not_pending: "No call with this id waits for an answer: see pendingToolCalls for those that do",
  already_answered: "This call has an answer already, and the first one counts",
  already_claimed:
    "Somebody else runs this call, and has time left: leave it to them, or claim it again later",
  hash_mismatch:
    "The decision is about another tool, input or call than the one that waits: look at the pending call again, and decide on its hash",
  wrong_kind:
    'This call waits for the other kind of answer: an approval where its kind is "approval", a result where it is "execution"',
  turn_unfinished:
    "A turn is under way or waits for answers: wait for its end, answer it, or abort it",
  turn_over: "The turn to be cancelled is over: there is nothing to stop",
  cannot_continue:
    "Nothing waits for a reply: there are no messages, or the last one is the assistant's. Send something instead",
};

export function refused(sessionId: string, code: Refusal): SessionError {
  return new SessionError(code, `${refusals[code]} (session ${sessionId})`, { sessionId });
}

/** For those who still wait for something of a session that was let go of here. */
export function closed(sessionId: string, why: string): SessionError {
  const message = `${why}: what is under way in session ${sessionId} goes on elsewhere. Open it again, on a host that is open`;
  return new SessionError("host_closed", message, { sessionId });
}

/** For those who wait for something of a session that is gone. */
export function deleted(sessionId: string): SessionError {
  const message = `Session ${sessionId} was deleted: begin a new one`;
  return new SessionError("not_found", message, { sessionId });
}

/** For callers that wait for something of a session that no host works on. */
export function setAsideFor(sessionId: string, reason: string): SessionError {
  const message = `Session ${sessionId} was set aside (${reason}): release it with host.release("${sessionId}") when that is mended`;
  return new SessionError("set_aside", message, { sessionId });
}

/** Whether the work on a session goes on elsewhere, or later, by itself: the lease was lost, the session deleted, the store away. */
export function isLeftToOthers(thrown: unknown): boolean {
  if (!isRepositoryError(thrown)) return false;
  const { code } = thrown;
  return code === "fenced" || code === "unavailable" || code === "not_found";
}

/** For those who wait for something that the store does not give any more. */
export function failed(sessionId: string, cause: RepositoryError): SessionError {
  return new SessionError(codeOf[cause.code], cause.message, { cause, sessionId });
}

/** What a store threw, as the caller of a session gets it. */
export function toSessionError(sessionId: string, thrown: unknown): unknown {
  return isRepositoryError(thrown) ? failed(sessionId, thrown) : thrown;
}

const codeOf: Record<RepositoryErrorCode, SessionErrorCode> = {
  not_found: "not_found",
  exists: "exists",
  invalid_entry: "invalid_input",
  fenced: "unavailable",
  unavailable: "unavailable",
};

/** Error for the handles of a session that this process cannot go on with. */
export function toFailure(sessionId: string, thrown: unknown): unknown {
  if (isRepositoryError(thrown) && isLeftToOthers(thrown)) return toSessionError(sessionId, thrown);
  if (thrown instanceof SessionError || thrown instanceof LogError) return thrown;
  const { message } = serializeError(thrown);
  return new SessionError("engine_failed", `The turn could not go on: ${message}`, {
    cause: thrown,
    sessionId,
  });
}
