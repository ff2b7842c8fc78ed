/** Spans through the caller's logger, which may be missing and may throw. */
import type { SerializedError } from "./contracts/conversation.ts";
import type { LogFields, Logger, Span, SpanName } from "./contracts/logging.ts";

/** Starts a span, or none where there is no logger. The span that comes back never throws. */
export function startSpan(
  logger: Logger | undefined,
  name: SpanName,
  attributes: LogFields,
  parent?: Span,
): Span | undefined {
  if (logger === undefined) return undefined;
  try {
    return new SafeSpan(
      logger.startSpan(name, attributes, parent instanceof SafeSpan ? parent.inner : parent),
    );
  } catch {
    // A broken logger must not stop a turn, and there is nobody else to tell.
    return undefined;
  }
}

class SafeSpan implements Span {
  readonly inner: Span;

  constructor(inner: Span) {
    this.inner = inner;
  }

  setAttributes(attributes: LogFields): void {
    try {
      this.inner.setAttributes(attributes);
    } catch {
      // As above.
    }
  }

  end(error?: SerializedError): void {
    try {
      this.inner.end(error);
    } catch {
      // As above.
    }
  }
}
