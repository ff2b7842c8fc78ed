/** What the server refuses, and why. */
import { CapstanError } from "@capstan/kernel";
import type { RequestIssue } from "@capstan/log";

export type ServerErrorCode =
  /** Not what the endpoint takes; the issues say where. */
  | "invalid_request"
  | "unauthenticated"
  | "forbidden_host"
  | "forbidden_origin"
  | "not_found"
  /** The session is another one than the client knows under this id. */
  | "session_replaced"
  /** A reader names a place that the session has not reached. */
  | "cursor_ahead"
  | "method_not_allowed"
  | "body_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "too_many_sessions"
  | "too_many_streams"
  /** Too many bytes of this principal's requests are under way. */
  | "too_many_bytes"
  /** The session, or all sessions of this principal, hold as much as they may. */
  | "storage_full"
  /** Too many bytes of all requests are. */
  | "busy"
  /** The server is being shut down. */
  | "closing"
  /** Thrown where a server is made, and sent to nobody. */
  | "invalid_options";

export interface ServerErrorOptions extends ErrorOptions {
  readonly issues?: readonly RequestIssue[];
  readonly headers?: Readonly<Record<string, string>>;
}

export class ServerError extends CapstanError<ServerErrorCode> {
  override readonly name = "ServerError";
  readonly issues: readonly RequestIssue[] | undefined;
  /** For the response. */
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

/** The same for a session that is not there and for one that belongs to somebody else. */
export function noSession(id: string): ServerError {
  return new ServerError("not_found", `There is no session "${id.slice(0, 128)}"`);
}

export function sessionReplaced(id: string): ServerError {
  const message = `Session "${id.slice(0, 128)}" was deleted and begun again: drop what is known of it, and read it anew`;
  return new ServerError("session_replaced", message);
}

export function cursorAhead(named: number, lastSeq: number): ServerError {
  const message = `Entry ${named} is further than the session, whose last entry is ${lastSeq}: read it anew`;
  return new ServerError("cursor_ahead", message);
}
