/** Spans through the caller's logger, which may be missing and may throw. */
import type { SerializedError } from "./contracts/conversation.ts";
import type { LogFields, Logger, Span, SpanName } from "./contracts/logging.ts";
import { quietly } from "./quietly.ts";

/** Starts a span, or none where there is no logger. The span that comes back never throws. */
export function startSpan(
  logger: Logger | undefined,
  name: SpanName,
  attributes: LogFields,
  parent?: Span,
): Span | undefined {
  if (logger === undefined) return undefined;
  const outer = parent instanceof SafeSpan ? parent.inner : parent;
  const span = quietly(() => logger.startSpan(name, attributes, outer));
  return span === undefined ? undefined : new SafeSpan(span);
}

class SafeSpan implements Span {
  readonly inner: Span;

  constructor(inner: Span) {
    this.inner = inner;
  }

  setAttributes(attributes: LogFields): void {
    quietly(() => this.inner.setAttributes(attributes));
  }

  end(error?: SerializedError): void {
    quietly(() => this.inner.end(error));
  }
}
