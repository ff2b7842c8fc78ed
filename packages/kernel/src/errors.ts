/** Errors that cross the kernel's border, and how any thrown value is written down. */
import type { SerializedError } from "./contracts/conversation.ts";

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
  readonly cause?: unknown;
}

const retryableByDefault: ReadonlySet<ProviderErrorCode> = new Set([
  "rate_limit",
  "overloaded",
  "network",
]);

/** An attempt failed, and the provider knows why. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(code: ProviderErrorCode, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? retryableByDefault.has(code);
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}

export type TurnErrorCode =
  /** The input of the turn contradicts itself. */
  | "invalid_input"
  /** A callback of the caller threw, rejected or did not return in time. */
  | "callback_failed"
  | "journal_failed"
  /** A deadline of an attempt passed. */
  | "timeout"
  /** `continue` was called on messages that cannot be continued. */
  | "cannot_continue";

/** The turn cannot go on for a reason that lies outside the provider. */
export class TurnError extends Error {
  override readonly name = "TurnError";
  readonly code: TurnErrorCode;

  constructor(code: TurnErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** Any thrown value as plain JSON: name, message and, where there is one, a string code. */
export function serializeError(thrown: unknown): SerializedError {
  if (!(thrown instanceof Error)) return { name: "Error", message: messageOf(thrown) };
  const code = "code" in thrown ? thrown.code : undefined;
  return {
    name: thrown.name,
    message: thrown.message,
    ...(typeof code === "string" && { code }),
  };
}

function messageOf(thrown: unknown): string {
  try {
    return typeof thrown === "string" ? thrown : (JSON.stringify(thrown) ?? String(thrown));
  } catch {
    // A value that can be neither serialised nor converted still was thrown.
    return "a value that cannot be shown";
  }
}
