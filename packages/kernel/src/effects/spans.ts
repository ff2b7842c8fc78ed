/** Spans of one turn, through the caller's logger, which may throw. */
import type { SerializedError } from "../contracts/conversation.ts";
import type { LogFields, Logger, Span, SpanName } from "../contracts/logging.ts";
import { quietly } from "./quietly.ts";

export class Spans {
  readonly #logger: Logger;
  readonly #open: SafeSpan[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Starts a span, if the logger can. The span never throws, and ends once. */
  start(name: SpanName, attributes: LogFields, parent?: Span): Span | undefined {
    const outer = parent instanceof SafeSpan ? parent.inner : parent;
    const inner = quietly(() => this.#logger.startSpan(name, attributes, outer));
    if (inner === undefined) return undefined;
    const span = new SafeSpan(inner);
    this.#open.push(span);
    return span;
  }

  /** Ends spans that are still open when the turn ends, innermost first. */
  endAll(error: SerializedError | undefined): void {
    for (const span of this.#open.toReversed()) span.end(error);
  }
}

class SafeSpan implements Span {
  readonly inner: Span;
  #isEnded = false;

  constructor(inner: Span) {
    this.inner = inner;
  }

  setAttributes(attributes: LogFields): void {
    quietly(() => this.inner.setAttributes(attributes));
  }

  end(error?: SerializedError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    quietly(() => this.inner.end(error));
  }
}
