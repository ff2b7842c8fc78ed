/** Errors that cross the kernel's border, and how any thrown value is written down. */
import { CapstanError } from "./capstan-error.ts";
import type { PartReference, SerializedError } from "./contracts/conversation.ts";

export type ProviderErrorCode =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "invalid_request"
  | "content_filter"
  | "network"
  | "protocol";

export interface ProviderErrorOptions {
  readonly retryable?: boolean;
  /** How long the vendor asks to wait. */
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  /** The part of the request's messages that the vendor will not take. */
  readonly rejected?: PartReference | undefined;
  readonly cause?: unknown;
}

const retryableByDefault: ReadonlySet<ProviderErrorCode> = new Set([
  "rate_limit",
  "overloaded",
  "network",
]);

/** An attempt failed, and the provider knows why. */
export class ProviderError extends CapstanError<ProviderErrorCode> {
  override readonly name = "ProviderError";
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly rejected: PartReference | undefined;

  constructor(code: ProviderErrorCode, message: string, options: ProviderErrorOptions = {}) {
    super(code, message, options);
    this.retryable = options.retryable ?? retryableByDefault.has(code);
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.rejected = options.rejected;
  }
}

export type TurnErrorCode =
  /** The input of the turn contradicts itself. */
  | "invalid_input"
  /** A callback of the caller threw, rejected or did not return in time. */
  | "callback_failed"
  | "journal_failed"
  /** The answer was wrong twice, says `checkAnswer`. */
  | "invalid_output"
  /** `continue` was called on messages that cannot be continued. */
  | "cannot_continue"
  /** A second reader asked for the events of a turn. */
  | "already_read";

/** The turn cannot go on for a reason that lies outside the provider. */
export class TurnError extends CapstanError<TurnErrorCode> {
  override readonly name = "TurnError";
}

/** Any thrown value as plain JSON: name, message and, where there are, a string code and the part that was rejected. Never throws itself. */
export function serializeError(thrown: unknown): SerializedError {
  try {
    return isError(thrown) ? describe(thrown) : { name: "Error", message: textOf(thrown) };
  } catch {
    // A value that cannot even be looked at was thrown all the same.
    return { name: "Error", message: "a value that cannot be shown" };
  }
}

/** By shape: an error of another realm is not an instance of this one's class. */
function isError(thrown: unknown): thrown is Error {
  if (thrown instanceof Error) return true;
  if (typeof thrown !== "object" || thrown === null) return false;
  const { name, message } = thrown as { readonly name?: unknown; readonly message?: unknown };
  return typeof name === "string" && typeof message === "string";
}

function describe(error: Error): SerializedError {
  const { name, message } = error;
  const code = "code" in error ? error.code : undefined;
  const rejected = error instanceof ProviderError ? error.rejected : undefined;
  return {
    name,
    message,
    ...(typeof code === "string" && { code }),
    ...(rejected !== undefined && { rejected }),
  };
}

function textOf(thrown: unknown): string {
  return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
}
