/** Errors of hosts and sessions. */
import { CapstanError, serializeError } from "@capstan/kernel";
import type { SerializedError } from "@capstan/kernel";
import type { Refusal, RepositoryError, RepositoryErrorCode } from "@capstan/log";
import { LogError, isRepositoryError } from "@capstan/log";

/** Codes of a `SessionError`. */
export type SessionErrorCode =
  | Exclude<Refusal, "unknown_message">
  /** A bare id was approved or denied, and this handle has not shown the call. */
  | "not_shown"
  /** The send was aborted while it waited for a resumed turn. */
  | "not_sent"
  /** The host has no agent with this name. */
  | "unknown_agent"
  /** The turn ended without an answer: aborted, failed, or awaiting answers. */
  | "no_answer"
  | "invalid_input"
  /** The id is already used for something else. */
  | "id_conflict"
  /** There is no summary: the model returned none, or was aborted. */
  | "compaction_failed"
  | "not_found"
  | "exists"
  /** The store failed: the input may or may not be stored. Send it again with the same id. */
  | "unavailable"
  /** The runtime failed, or the store broke its contract: the turn could not continue. */
  | "engine_failed"
  /** The turn was resumed too often without progress. */
  | "resume_limit"
  /** The turn was dropped by `abandon`. */
  | "abandoned"
  /** The session was set aside, with a reason: no host works on it until it is released. */
  | "set_aside"
  | "host_closed";

export interface SessionErrorOptions extends ErrorOptions {
  readonly sessionId?: string;
  readonly turnError?: SerializedError;
}

/** Refusal or failure of a session or a host. */
export class SessionError extends CapstanError<SessionErrorCode> {
  override readonly name = "SessionError";
  readonly sessionId: string | undefined;
  /** Error of the turn, if it failed. */
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

/** Throws `invalid_input` if a caller in JavaScript passed no options. */
export function mustBeOptions(options: unknown, call: string): void {
  if (typeof options === "object" && options !== null) return;
  const found = options === null ? "null" : typeof options;
  throw invalid(`${call} needs an object with its options, not ${found}`);
}

/** For a session that is stored already, or belongs to another agent or principal. */
export function exists(sessionId: string, why: string, cause?: unknown): SessionError {
  const message = `Session "${sessionId}" ${why}`;
  return new SessionError("exists", message, { sessionId, ...(cause !== undefined && { cause }) });
}

/** Advice for a session that is stored already. */
export const alreadyExists =
  "already exists: use host.session or openSession, which open it or create it, or choose another id";

/** An id is never reused for different input. */
export function taken(id: string): SessionError {
  const message = `The id "${id}" is already used for something else in this session, so this input was not accepted: choose another id`;
  return new SessionError("id_conflict", message);
}

const refusals: Record<Refusal, string> = {
  not_pending: "No call with this id is pending: see pendingToolCalls for those that are",
  already_answered: "This call is already answered, and the first answer counts",
  already_claimed:
    "Another client has claimed this call: leave it to that client, or claim it after the claim expires",
  hash_mismatch:
    "The decision does not match the tool, input or id of the pending call: look at the pending call again, and decide on its hash",
  wrong_kind:
    'This call needs the other kind of answer: an approval if its kind is "approval", a result if it is "execution"',
  turn_unfinished:
    "A turn is running: wait with waitForIdle, follow it with current, queue the message with followUp, or drop the turn with abandon",
  calls_pending:
    'Calls wait for an answer (see pendingToolCalls): answer them with send, approve or deny, or send with ifPending: "settle"',
  turn_over: "Cannot cancel the turn: it has already ended",
  cannot_continue:
    "Nothing awaits a reply: there are no messages, or the last one is the assistant's. Send a message instead",
  unknown_message: "The history has no message with this id: use the id of one of its messages",
};

export function refused(sessionId: string, refusal: Refusal): SessionError {
  const code = refusal === "unknown_message" ? "invalid_input" : refusal;
  return new SessionError(code, `${refusals[refusal]} (session ${sessionId})`, { sessionId });
}

/** For an approval by id, if the caller cannot have seen what it approves. */
export function notShown(sessionId: string, toolCallId: string): SessionError {
  const message = `This handle of session ${sessionId} has not shown the call "${toolCallId}": pass the pending call, or look at pendingToolCalls first`;
  return new SessionError("not_shown", message, { sessionId });
}

/** For callers that need an answer: the turn ended without one. */
export function noAnswer(
  sessionId: string,
  why: string,
  turnError: SerializedError | undefined,
): SessionError {
  const message = `Session ${sessionId} gave no answer: ${why}. To get the partial response without an error, use send`;
  return new SessionError("no_answer", message, { sessionId, ...(turnError && { turnError }) });
}

/** For callers that still wait on a session that was closed here. */
export function closed(sessionId: string, why: string): SessionError {
  const message = `${why}: work in progress in session ${sessionId} continues on other hosts. Open it again, on a host that is open`;
  return new SessionError("host_closed", message, { sessionId });
}

/** For callers that wait on a session that is gone. */
export function deleted(sessionId: string): SessionError {
  const message = `Session ${sessionId} was deleted: create a new one`;
  return new SessionError("not_found", message, { sessionId });
}

/** For callers that wait on a session that was set aside. */
export function setAsideFor(sessionId: string, reason: string): SessionError {
  const message = `Session ${sessionId} was set aside (${reason}): release it with host.release("${sessionId}") when that is fixed`;
  return new SessionError("set_aside", message, { sessionId });
}

/**
 * Whether the work on a session continues elsewhere, or later, by itself: the lease was lost, the session deleted, or the store
 * unavailable.
 */
export function isLeftToOthers(thrown: unknown): boolean {
  if (!isRepositoryError(thrown)) return false;
  const { code } = thrown;
  return code === "fenced" || code === "unavailable" || code === "not_found";
}

/** Whether no host can continue the work, so that the session is set aside. The other errors of sessions concern this host alone. */
export function isForNoHost(thrown: unknown): boolean {
  if (isLeftToOthers(thrown)) return false;
  return !(thrown instanceof SessionError) || thrown.code === "engine_failed";
}

/** For callers that wait for data that the store no longer returns. */
export function failed(sessionId: string, cause: RepositoryError): SessionError {
  if (cause.code === "exists") return exists(sessionId, alreadyExists, cause);
  return new SessionError(codeOf[cause.code], cause.message, { cause, sessionId });
}

/** Turns a store's error into the one that callers of a session get. */
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

/** Error for the handles of a session that this process cannot continue. */
export function toFailure(sessionId: string, thrown: unknown): Error {
  if (isRepositoryError(thrown) && isLeftToOthers(thrown)) return failed(sessionId, thrown);
  if (thrown instanceof SessionError || thrown instanceof LogError) return thrown;
  const { message } = serializeError(thrown);
  return new SessionError("engine_failed", `The turn could not continue: ${message}`, {
    cause: thrown,
    sessionId,
  });
}
