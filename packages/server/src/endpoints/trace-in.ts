/** Position of a request in a trace. */

/** W3C Trace Context. Later versions begin in the same way. */
const traceParent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Used only if no instrumentation of this process has put the request into a trace. */
export function traceIn(headers: Headers): { readonly trace?: string } {
  const trace = headers.get("traceparent");
  return trace !== null && traceParent.test(trace) ? { trace } : {};
}
