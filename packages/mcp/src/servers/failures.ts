/** Kinds of failed requests, by what they tell about the effect of the request. */
import type { Connection } from "./connection.ts";
import { streamEnded } from "./transport.ts";

/**
 * - `forgotten`: the server does not know the session: the request did not run, and a new session may repeat it.
 * - `not-sent`: the request did not reach the server.
 * - `lost`: the connection ended, or the server failed: whether the request ran is unknown.
 * - `answered`: the server refused it, or reported an error.
 */
export type FailureKind = "forgotten" | "not-sent" | "lost" | "answered";

/** Errors of a socket that was never open. */
const unreachable = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The SDK marks its errors with fields: it may be installed twice, and then its classes are others. */
interface Fields {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly data?: unknown;
  readonly message?: unknown;
  readonly cause?: Fields;
}

export function kindOf(thrown: unknown, connection: Connection): FailureKind {
  const error = (thrown ?? {}) as Fields;
  if (error.code === "NOT_CONNECTED" || error.message === "Not connected") return "not-sent";
  if (error.code === "CONNECTION_CLOSED" || isStreamEnd(error)) return "lost";
  if (typeof error.status === "number") return kindOfStatus(error.status, error, connection);
  if (isUnreachable(error)) return "not-sent";
  return error.message === "fetch failed" || error.message === "terminated" ? "lost" : "answered";
}

function kindOfStatus(status: number, error: Fields, { hasSession }: Connection): FailureKind {
  if (status >= 500) return "lost";
  if (!hasSession) return "answered";
  // The protocol demands 404; some servers answer 400 and say so in words.
  const isForgotten = status === 404 || (status === 400 && /session/i.test(String(error.message)));
  return isForgotten ? "forgotten" : "answered";
}

function isStreamEnd({ code, data }: Fields): boolean {
  return code === streamEnded.code && data === streamEnded.data;
}

function isUnreachable(error: Fields): boolean {
  for (let cause: Fields | undefined = error; cause !== undefined; cause = cause.cause) {
    if (typeof cause.code === "string" && unreachable.has(cause.code)) return true;
  }
  return false;
}
