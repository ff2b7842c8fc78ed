/** Structured logs and spans. Without a logger the kernel makes none. */
import type { SerializedError } from "./conversation.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Each within the one before it; a tool within its step, or within its turn if the step was resumed. Their attributes, and after `;` those
 * that come at the end:
 * - `turn`: conversationId, turnId; finishReason
 * - `step`: step
 * - `attempt`: step, attempt, provider, model; stopReason, responseModel, ttftMs, and what `Usage` has
 * - `tool`: step, toolCallId, toolName
 */
export type SpanName = "turn" | "step" | "attempt" | "tool";

export interface Span {
  setAttributes(attributes: LogFields): void;
  end(error?: SerializedError): void;
}

export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: LogFields): void;
  startSpan(name: SpanName, attributes: LogFields, parent?: Span): Span;
}
