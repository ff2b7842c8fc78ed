/** What the spans of a turn are within. */
import type { Context, Span } from "@opentelemetry/api";
import { context, trace, TraceFlags } from "@opentelemetry/api";

/**
 * The active context. A session goes on with work that began within an earlier request, so its span may be over by now:
 * then the turn is a trace of its own.
 */
export function callerContext(): Context {
  const active = context.active();
  const span = trace.getSpan(active);
  return span !== undefined && hasEnded(span) ? trace.deleteSpan(active) : active;
}

/** A span of this process that is sampled records until its end. Of the others nobody can tell. */
function hasEnded(span: Span): boolean {
  const { traceFlags, isRemote } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled && isRemote !== true && !span.isRecording();
}
