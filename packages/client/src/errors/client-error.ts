/** What a client can fail with. */
import { CapstanError } from "@capstan/kernel";
import type { RequestIssue } from "@capstan/log";

export type ClientErrorCode =
  /** Thrown where a client, or a tool to be lent, is made. */
  | "invalid_options"
  /** No server could be reached, for as many attempts as there are. */
  | "unreachable"
  /** What came is not what a server says. */
  | "protocol"
  /** The client was closed meanwhile. */
  | "closed"
  /** The signal of the caller fired. */
  | "aborted";

export interface ClientErrorOptions extends ErrorOptions {
  readonly status?: number;
  readonly issues?: readonly RequestIssue[] | undefined;
  readonly retryAfterMs?: number;
}

/** What the server refuses has the code that the server gave: one of `ServerError` or `SessionError`. */
export class ClientError extends CapstanError<ClientErrorCode | (string & {})> {
  override readonly name = "ClientError";
  /** Of the response, where a server has answered. */
  readonly status: number | undefined;
  /** Places in what was sent, and what is wrong there. */
  readonly issues: ClientErrorOptions["issues"];
  /** How long the server asks to wait. */
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

  /** Whether the same request may do better later, or elsewhere. */
  get isPassing(): boolean {
    if (this.code === "unreachable") return true;
    const { status } = this;
    if (status === undefined || this.code === "too_many_sessions") return false;
    return status === 408 || status === 429 || (status > 501 && status < 505);
  }
}

/** Whether the server said this. */
export function isRefusal(thrown: unknown, ...codes: readonly string[]): thrown is ClientError {
  return thrown instanceof ClientError && codes.includes(thrown.code);
}
