/** A span of the kernel and its place in a trace. */
import type { LogFields, SerializedError, Span } from "@capstan/kernel";
import type { Context, Span as TraceSpan } from "@opentelemetry/api";
import { SpanStatusCode } from "@opentelemetry/api";
import { toAttributes } from "./gen-ai-attributes.ts";

/** What the spans within it need to know. */
export interface Place {
  readonly context: Context;
  readonly conversationId: LogFields[string];
}

export class PlacedSpan implements Span {
  readonly place: Place;
  readonly #span: TraceSpan | undefined;
  readonly #onEnd: (() => void) | undefined;

  /** Without a span of the trace nothing is recorded of it, but those within it have their place all the same. */
  constructor(place: Place, span?: TraceSpan, onEnd?: () => void) {
    this.place = place;
    this.#span = span;
    this.#onEnd = onEnd;
  }

  setAttributes(fields: LogFields): void {
    this.#span?.setAttributes(toAttributes(fields));
  }

  /** The conventions ask for the status and `error.type`, and advise against an exception event. */
  end(error?: SerializedError): void {
    this.#onEnd?.();
    if (error !== undefined) {
      this.#span?.setAttribute("error.type", error.code ?? error.name);
      this.#span?.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    }
    this.#span?.end();
  }
}
