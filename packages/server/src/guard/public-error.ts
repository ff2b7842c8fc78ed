/** The wire format of errors, and the part of an error that clients see. */
import type { Session, SessionErrorCode } from "@capstan/core";
import { isCapstanError } from "@capstan/kernel";
import type { ErrorReply, RequestIssue } from "@capstan/log";
import type { ServerErrorCode } from "./server-error.ts";
import { ServerError } from "./server-error.ts";

export interface PublicError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly RequestIssue[];
}

const statusOfServer: Record<ServerErrorCode, number> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  not_found: 404,
  session_replaced: 409,
  child_session: 409,
  cursor_ahead: 409,
  cursor_expired: 409,
  aborted: 409,
  budget_exceeded: 402,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  body_consumed: 500,
  rate_limited: 429,
  too_many_sessions: 429,
  too_many_streams: 429,
  too_many_bytes: 429,
  storage_full: 507,
  busy: 503,
  closing: 503,
  invalid_options: 500,
};

/** Errors that a client can act on are reported unchanged. */
const statusOfSession: Record<SessionErrorCode, number> = {
  not_pending: 409,
  already_answered: 409,
  already_claimed: 409,
  hash_mismatch: 409,
  wrong_kind: 409,
  turn_unfinished: 409,
  calls_pending: 409,
  not_shown: 409,
  not_sent: 409,
  turn_over: 409,
  cannot_continue: 409,
  exists: 409,
  id_conflict: 409,
  invalid_input: 400,
  compaction_failed: 502,
  not_found: 404,
  unknown_agent: 409,
  no_answer: 409,
  unavailable: 503,
  engine_failed: 500,
  resume_limit: 500,
  abandoned: 409,
  set_aside: 409,
  host_closed: 503,
};

const publicMessages: Partial<Record<SessionErrorCode, string>> = {
  not_found: "Unknown session",
  unknown_agent: "The agent of this session is no longer available",
  unavailable: "The store failed and the input may have been stored: retry with the same id",
  engine_failed: "The turn could not continue",
  set_aside: "This session is set aside until its operator releases it",
  host_closed: "This server is shutting down: reconnect later or to another server",
};

const unknown: PublicError = {
  status: 500,
  headers: {},
  code: "internal",
  message: "Internal server error",
};

/** Converts any error: paths, stacks and messages of stores and vendors are not exposed. */
export function toPublicError(thrown: unknown): PublicError {
  if (thrown instanceof ServerError) {
    const { code, message, headers, issues } = thrown;
    return { status: statusOfServer[code], headers, code, message, ...(issues && { issues }) };
  }
  if (!isCapstanError(thrown)) return unknown;
  const { name, code, message } = thrown;
  if (name === "SessionError") return ofSession(code, message);
  if (name === "RepositoryError") return ofSession(sessionCodeOf(code), message);
  // A lent tool that is invalid.
  if (name === "ToolError") return { status: 400, headers: {}, code: "invalid_request", message };
  return unknown;
}

function ofSession(code: string, message: string): PublicError {
  if (!isSessionCode(code)) return unknown;
  const status = statusOfSession[code];
  const headers: PublicError["headers"] = status === 503 ? { "retry-after": "1" } : {};
  return { status, headers, code, message: publicMessages[code] ?? message };
}

/** Session code of a store's error: another process has deleted a session that is in memory here, or the store is unavailable. */
function sessionCodeOf(code: string): string {
  return code === "fenced" ? "unavailable" : code;
}

function isSessionCode(code: string): code is SessionErrorCode {
  return Object.hasOwn(statusOfSession, code);
}

export function toErrorResponse(thrown: unknown): Response {
  return errorResponse(toPublicError(thrown));
}

function errorResponse({ status, headers, ...error }: PublicError): Response {
  return jsonResponse({ error } satisfies ErrorReply, status, headers);
}

export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonTextResponse(JSON.stringify(body), status, headers);
}

/** Like `jsonResponse`, for text that is already JSON. */
export function jsonTextResponse(
  text: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", ...commonHeaders, ...headers },
  });
}

/** Headers that identify the session of a response. */
export function sessionHeaders({ id, incarnation }: Session): Readonly<Record<string, string>> {
  const named = { "x-session-id": id };
  return incarnation === undefined ? named : { ...named, "x-session-incarnation": incarnation };
}

/** Sessions are private: responses must not be cached. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
