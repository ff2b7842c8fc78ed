/** Structured logs and spans. Without a logger the kernel creates none. */
import type {
  AssistantMessage,
  ChatMessage,
  JsonValue,
  SerializedError,
  ToolContent,
} from "./conversation.ts";

/** Fields of a log line, or attributes of a span. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Spans, each nested in the one before it; a tool span is nested in its step, or in its turn if the step was resumed. Attributes, and after
 * `;` those that are set at the end:
 * - `turn`: conversationId, turnId, and `trace` if the turn was sent from code in a trace; finishReason
 * - `step`: step
 * - `attempt`: step, attempt, provider, model; stopReason, responseModel, ttftMs, and the fields of `Usage`
 * - `tool`: step, toolCallId, toolName
 *
 * Layers above the kernel may add others: spans of a session's turns have its `principal`, and a `summary` is a turn that only asks for one.
 */
export type SpanName = "turn" | "step" | "attempt" | "tool" | "summary";

/** Content of a span: an attempt has messages and its reply, a tool its input and output. */
export interface SpanContent {
  readonly messages?: readonly ChatMessage[];
  readonly reply?: AssistantMessage;
  readonly input?: JsonValue;
  readonly output?: ToolContent;
}

/** Section of a trace: a turn, a request or a tool call. Ended once, with the error if there was one. */
export interface Span {
  setAttributes(attributes: LogFields): void;
  /** Called before the end of an attempt or a tool, if the logger wants content. */
  setContent?(content: SpanContent): void;
  end(error?: SerializedError): void;
}

/** Receiver of log lines and spans. It must not throw. */
export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: LogFields): void;
  startSpan(name: SpanName, attributes: LogFields, parent?: Span): Span;
  /** Whether spans get content: what was said, and what tools got and gave. Default false. */
  readonly hasContent?: boolean | undefined;
  /** Calls the function within a span: spans that it starts are nested in that one. Tools, providers and callbacks are called so. */
  within?<T>(span: Span, call: () => T): T;
  /** Returns the position of the calling code in a trace, as a W3C `traceparent`; undefined if it is in none. */
  trace?(): string | undefined;
}
