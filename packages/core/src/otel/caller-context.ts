/** Parent context of a turn's spans. */
import type { Context, Span } from "@opentelemetry/api";
import { context, trace, TraceFlags } from "@opentelemetry/api";

/**
 * Returns the active context. A session continues work that began within an earlier request, whose span may have ended by now: then the
 * turn is its own trace.
 */
export function callerContext(): Context {
  const active = context.active();
  const span = trace.getSpan(active);
  return span !== undefined && hasEnded(span) ? trace.deleteSpan(active) : active;
}

/** A sampled span of this process records until its end. For others it is unknown. */
function hasEnded(span: Span): boolean {
  const { traceFlags, isRemote } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled && isRemote !== true && !span.isRecording();
}
