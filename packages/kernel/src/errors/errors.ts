/** Errors that cross the kernel's border, and the serialization of any thrown value. */
import { CapstanError } from "./capstan-error.ts";
import type { PartReference, SerializedError } from "../contracts/conversation.ts";
import type { Draft } from "../effects/draft.ts";

/** Codes of a `ProviderError`. */
export type ProviderErrorCode =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "context_overflow"
  | "invalid_request"
  | "content_filter"
  | "network"
  | "protocol";

/** Details of a `ProviderError`: whether and when to retry, the HTTP status, and the part that was refused. */
export interface ProviderErrorOptions {
  readonly retryable?: boolean;
  /** Delay that the vendor asks for. */
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  /** Part of the request's messages that the vendor rejects. */
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

/** Codes of a turn's error that no provider or tool caused. */
export type TurnErrorCode =
  /** The input of the turn contradicts itself. */
  | "invalid_input"
  /** A callback of the caller threw, rejected or did not return in time. */
  | "callback_failed"
  | "journal_failed"
  /** `checkAnswer` rejected the answer twice. */
  | "invalid_output"
  /** A guard rejected a message of the user. */
  | "input_rejected"
  /** A guard rejected a reply. */
  | "output_rejected"
  /** `continue` was called on messages that cannot be continued. */
  | "cannot_continue"
  /** A second reader asked for the events of a turn. */
  | "already_read";

/** The turn cannot continue, for a reason outside the provider. */
export class TurnError extends CapstanError<TurnErrorCode> {
  override readonly name = "TurnError";
}

/** Codes of a `ToolCallError`, thrown by `context.call`. */
export type ToolCallErrorCode =
  /** The call would have to wait for an answer, and the calling tool must not run twice. */
  | "cannot_wait_here"
  /** The call waits for an answer: the calling tool runs again once it is there. */
  | "suspended"
  /** The calling tool was stopped, or has returned. */
  | "call_over"
  | "too_many_calls"
  /** The tool must run alone, and the calling tool does not. */
  | "must_be_sequential"
  /** The tool runs outside of a turn, as at a client. */
  | "no_turn";

/** A tool could not call another one. */
export class ToolCallError extends CapstanError<ToolCallErrorCode> {
  override readonly name = "ToolCallError";
}

/** Longer messages are truncated: an error is stored, sent and shown many times. */
const maxMessageChars = 16_384;
const maxNameChars = 256;
const noMessage = "an error without a message";

/**
 * Converts any thrown value to plain JSON: a name and a message of bounded length and, if present, a string code and the rejected part.
 * Never throws.
 */
export function serializeError(thrown: unknown): SerializedError {
  if (!isError(thrown)) return { name: "Error", message: toText(thrown) };
  const message = fieldOf(thrown, "message");
  const serialized: Draft<SerializedError> = {
    name: toName(fieldOf(thrown, "name")) ?? "Error",
    message: message === undefined || message === null ? noMessage : toText(message),
  };
  const code = toName(fieldOf(thrown, "code"));
  if (code !== undefined) serialized.code = code;
  // By its name: the class of another copy of this package means the same.
  const rejected = toReference(fieldOf(thrown, "rejected"));
  const isProvider = serialized.name === "ProviderError";
  if (rejected !== undefined && isProvider) serialized.rejected = rejected;
  return serialized;
}

/** Converts any value to a text of bounded length: strings as they are, other values as JSON if possible. Never throws. */
export function toText(value: unknown): string {
  try {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
    return text.length > maxMessageChars ? cut(text) : text;
  } catch {
    // A `toJSON` or `toString` that throws, or a cycle.
    return "a value that cannot be shown";
  }
}

/** Like `instanceof`, for a value whose prototype may be unreadable. */
export function isInstance<T>(
  value: unknown,
  type: abstract new (...parameters: never[]) => T,
): value is T {
  try {
    return value instanceof type;
  } catch {
    // A proxy whose prototype cannot be read is an instance of nothing.
    return false;
  }
}

/** Reads a field of a value that may be a getter or a proxy; undefined if it cannot be read. */
export function fieldOf(value: object, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    // A getter or proxy that throws has no value.
    return undefined;
  }
}

function cut(text: string): string {
  return `${text.slice(0, maxMessageChars)}… (${text.length - maxMessageChars} more characters)`;
}

/** Checks the shape too: an error of another realm is not an instance of this realm's class. */
function isError(thrown: unknown): thrown is object {
  if (isInstance(thrown, Error)) return true;
  if (typeof thrown !== "object" || thrown === null) return false;
  if (typeof fieldOf(thrown, "name") !== "string") return false;
  return typeof fieldOf(thrown, "message") === "string" || isForeignError(thrown);
}

function isForeignError(thrown: object): boolean {
  try {
    return Object.prototype.toString.call(thrown) === "[object Error]";
  } catch {
    // A `Symbol.toStringTag` that cannot be read is not that of an error.
    return false;
  }
}

function toName(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, maxNameChars) : undefined;
}

function toReference(value: unknown): PartReference | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const messageId = fieldOf(value, "messageId");
  const part = fieldOf(value, "part");
  if (typeof messageId !== "string" || typeof part !== "number") return undefined;
  return { messageId, part };
}
