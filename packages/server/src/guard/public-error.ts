/** The one shape of errors on the wire, and what of an error a client is told. */
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
  cursor_ahead: 409,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  too_many_sessions: 429,
  too_many_streams: 429,
  too_many_bytes: 429,
  storage_full: 507,
  busy: 503,
  closing: 503,
  invalid_options: 500,
};

/** Those that a client can do something about are told as they are. */
const statusOfSession: Record<SessionErrorCode, number> = {
  not_pending: 409,
  already_answered: 409,
  already_claimed: 409,
  hash_mismatch: 409,
  wrong_kind: 409,
  turn_unfinished: 409,
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
  set_aside: 409,
  host_closed: 503,
};

const publicMessages: Partial<Record<SessionErrorCode, string>> = {
  not_found: "There is no such session",
  unknown_agent: "The agent of this session is not served here any more",
  unavailable: "The store failed: what was sent may be there. Send it again with the same id",
  engine_failed: "The turn could not go on",
  set_aside: "This session was set aside: its operator has to release it",
  host_closed: "This server is being shut down: connect again, elsewhere or later",
};

const unknown: PublicError = {
  status: 500,
  headers: {},
  code: "internal",
  message: "Something went wrong here, and it is not the fault of the request",
};

/** Whatever was thrown: paths, stacks and what a store or a vendor said stay here. */
export function toPublicError(thrown: unknown): PublicError {
  if (thrown instanceof ServerError) {
    const { code, message, headers, issues } = thrown;
    return { status: statusOfServer[code], headers, code, message, ...(issues && { issues }) };
  }
  if (!isCapstanError(thrown)) return unknown;
  const { name, code, message } = thrown;
  if (name === "SessionError") return ofSession(code, message);
  if (name === "RepositoryError") return ofSession(sessionCodeOf(code), message);
  // A tool that was lent, and cannot be used.
  if (name === "ToolError") return { status: 400, headers: {}, code: "invalid_request", message };
  return unknown;
}

function ofSession(code: string, message: string): PublicError {
  if (!isSessionCode(code)) return unknown;
  const status = statusOfSession[code];
  const headers: PublicError["headers"] = status === 503 ? { "retry-after": "1" } : {};
  return { status, headers, code, message: publicMessages[code] ?? message };
}

/** Session code of a store's error: another process has deleted a session that is in memory here, or the store is away. */
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

/** The same for what is JSON already. */
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

/** Which session a response is about. */
export function sessionHeaders({ id, incarnation }: Session): Readonly<Record<string, string>> {
  const named = { "x-session-id": id };
  return incarnation === undefined ? named : { ...named, "x-session-incarnation": incarnation };
}

/** What is said in a session is for nobody's cache. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
