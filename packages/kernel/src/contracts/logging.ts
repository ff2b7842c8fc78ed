/** Structured logs and spans. Without a logger the kernel makes none. */
import type { SerializedError } from "./conversation.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanName = "turn" | "step" | "attempt" | "tool";

export interface Span {
  setAttributes(attributes: LogFields): void;
  end(error?: SerializedError): void;
}

export interface Logger {
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: LogFields): void;
  startSpan(name: SpanName, attributes: LogFields, parent?: Span): Span;
}
