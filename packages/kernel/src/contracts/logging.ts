/** Structured logs and spans. Without a logger the kernel creates none. */
import type { SerializedError } from "./conversation.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Spans, each nested in the one before it; a tool span is nested in its step, or in its turn if the step was resumed. Attributes, and after
 * `;` those that are set at the end:
 * - `turn`: conversationId, turnId; finishReason
 * - `step`: step
 * - `attempt`: step, attempt, provider, model; stopReason, responseModel, ttftMs, and the fields of `Usage`
 * - `tool`: step, toolCallId, toolName
 *
 * Layers above the kernel may add others: spans of a session's turns have its `principal`.
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
