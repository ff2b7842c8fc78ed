/** Spans of one turn, through the caller's logger, which may throw. */
import type { SerializedError } from "../contracts/conversation.ts";
import type { LogFields, Logger, Span, SpanContent, SpanName } from "../contracts/logging.ts";
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

  /** Calls the function within a span, if the logger can. What the function returns or throws passes through. */
  within<T>(span: Span | undefined, call: () => T): T {
    const inner = span instanceof SafeSpan ? span.inner : span;
    if (inner === undefined || this.#logger.within === undefined) return call();
    const once = new Once(call);
    quietly(() => this.#logger.within?.(inner, () => once.run()));
    return once.result();
  }

  get hasContent(): boolean {
    return this.#logger.hasContent === true;
  }

  /** Ends spans that are still open when the turn ends, innermost first. */
  endAll(error: SerializedError | undefined): void {
    for (const span of this.#open.toReversed()) span.end(error);
  }
}

/** Calls a function once, however often a logger does. */
class Once<T> {
  readonly #call: () => T;
  #outcome: { readonly value: T } | { readonly thrown: unknown } | undefined;

  constructor(call: () => T) {
    this.#call = call;
  }

  run(): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#outcome = { value: this.#call() };
    } catch (thrown) {
      this.#outcome = { thrown };
    }
  }

  /** Throws what the function threw. */
  result(): T {
    this.run();
    const outcome = this.#outcome;
    if (outcome === undefined || "thrown" in outcome) throw outcome?.thrown;
    return outcome.value;
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

  setContent(content: SpanContent): void {
    quietly(() => this.inner.setContent?.(content));
  }

  end(error?: SerializedError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    quietly(() => this.inner.end(error));
  }
}
