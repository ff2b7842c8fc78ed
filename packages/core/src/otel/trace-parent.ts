/** A position in a trace as text: the `traceparent` of W3C Trace Context, version 00. */
import type { SpanContext } from "@opentelemetry/api";
import { isSpanContextValid } from "@opentelemetry/api";

const pattern = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

export function toTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Undefined if the text is not valid. */
export function fromTraceParent(text: unknown): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = pattern.exec(String(text)) ?? [];
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(found) ? found : undefined;
}
