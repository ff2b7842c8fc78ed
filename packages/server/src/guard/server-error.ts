/** Errors with which the server rejects requests. */
import type { Session } from "@capstan/core";
import { CapstanError } from "@capstan/kernel";
import type { RequestIssue } from "@capstan/log";

/** Codes of a `ServerError`; each has one HTTP status. */
export type ServerErrorCode =
  /** The request does not match the endpoint's schema; `issues` has the paths. */
  | "invalid_request"
  | "unauthenticated"
  | "forbidden_host"
  | "forbidden_origin"
  | "not_found"
  /** The session is not the one the client knows under this id. */
  | "session_replaced"
  /** The session works for another one, which alone gives it input. */
  | "child_session"
  /** A cursor is ahead of the session. */
  | "cursor_ahead"
  /** The frames after a cursor are no longer kept. */
  | "cursor_expired"
  | "method_not_allowed"
  | "body_too_large"
  | "unsupported_media_type"
  /** Another middleware has read the body. */
  | "body_consumed"
  | "rate_limited"
  | "too_many_sessions"
  | "too_many_streams"
  /** The principal has spent its budget for models. */
  | "budget_exceeded"
  /** The client has aborted the request before it arrived. */
  | "aborted"
  /** Too many bytes in this principal's pending requests. */
  | "too_many_bytes"
  /** The session, or all sessions of this principal, have reached their storage limit. */
  | "storage_full"
  /** Too many bytes in all pending requests. */
  | "busy"
  /** The server is shutting down. */
  | "closing"
  /** Thrown when a server is created; never sent to clients. */
  | "invalid_options";

export interface ServerErrorOptions extends ErrorOptions {
  readonly issues?: readonly RequestIssue[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refusal of a request, with its code, issues and headers. */
export class ServerError extends CapstanError<ServerErrorCode> {
  override readonly name = "ServerError";
  readonly issues: readonly RequestIssue[] | undefined;
  /** Headers for the response. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ServerErrorCode, message: string, options: ServerErrorOptions = {}) {
    super(code, message, options);
    this.issues = options.issues;
    this.headers = options.headers ?? {};
  }
}

export function invalidRequest(message: string, issues?: readonly RequestIssue[]): ServerError {
  return new ServerError("invalid_request", message, issues && { issues });
}

/** Same error for a missing session and for another principal's session. */
export function noSession(id: string): ServerError {
  return new ServerError("not_found", `Unknown session "${id.slice(0, 128)}"`);
}

export function sessionReplaced(id: string): ServerError {
  const message = `Session "${id.slice(0, 128)}" was deleted and recreated: discard its state and read it again`;
  return new ServerError("session_replaced", message);
}

export function cursorAhead(named: number, lastSeq: number): ServerError {
  const message = `Entry ${named} is ahead of the session, whose last entry is ${lastSeq}: read the session again`;
  return new ServerError("cursor_ahead", message);
}

/** Throws for a session that works for another one: its parent alone gives it tasks. Answers are no input. */
export function mustTakeInput({ id, parent }: Pick<Session, "id" | "parent">): void {
  if (parent === undefined) return;
  const message = `Session "${id}" works for session "${parent.sessionId}": send messages there. Its pending calls can be answered here`;
  throw new ServerError("child_session", message);
}
