/** Errors of a client. */
import { CapstanError } from "@capstan/kernel";
import type { RequestIssue } from "@capstan/log";

/** Codes of the failures that the client finds itself. Refusals of the server keep the server's codes. */
export type ClientErrorCode =
  /** Thrown when a client or a client-side tool is created. */
  | "invalid_options"
  /** No server was reachable within the allowed attempts. */
  | "unreachable"
  /** The response is not that of a Capstan server. */
  | "protocol"
  /** The client was closed before the request completed. */
  | "closed"
  /** The caller's signal fired. */
  | "aborted"
  /** A bare id was approved or denied, and this handle has not shown the call. */
  | "not_shown";

/** Details of a `ClientError`: the HTTP status, the issues of a refused request, when to retry. */
export interface ClientErrorOptions extends ErrorOptions {
  readonly status?: number;
  readonly issues?: readonly RequestIssue[] | undefined;
  readonly retryAfterMs?: number;
}

/** For a request the server refused, `code` is the server's: one of `ServerError` or `SessionError`. */
export class ClientError extends CapstanError<ClientErrorCode | (string & {})> {
  override readonly name = "ClientError";
  /** HTTP status, if a server responded. */
  readonly status: number | undefined;
  /** Fields of the request that were refused, and why. */
  readonly issues: ClientErrorOptions["issues"];
  /** Delay that the server asks for. */
  readonly retryAfterMs: number;

  constructor(
    code: ClientErrorCode | (string & {}),
    message: string,
    options: ClientErrorOptions = {},
  ) {
    super(code, message, options);
    this.status = options.status;
    this.issues = options.issues;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }

  /** True if the same request may succeed later, or at another server. */
  get isPassing(): boolean {
    if (this.code === "unreachable") return true;
    const { status } = this;
    if (status === undefined || this.code === "too_many_sessions") return false;
    return status === 408 || status === 429 || (status > 501 && status < 505);
  }
}

/** True if the server refused with one of these codes. */
export function isRefusal(thrown: unknown, ...codes: readonly string[]): thrown is ClientError {
  return thrown instanceof ClientError && codes.includes(thrown.code);
}
