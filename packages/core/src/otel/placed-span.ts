/** A span of the kernel and its position in a trace. */
import type { LogFields, SerializedError, Span } from "@capstan/kernel";
import type { Context, Span as TraceSpan } from "@opentelemetry/api";
import { SpanStatusCode } from "@opentelemetry/api";
import { toAttributes } from "./gen-ai-attributes.ts";

/** Context for its child spans. */
export interface Place {
  readonly context: Context;
  readonly conversationId: LogFields[string];
}

export class PlacedSpan implements Span {
  readonly place: Place;
  readonly #span: TraceSpan | undefined;
  readonly #onEnd: (() => void) | undefined;

  /** Without a trace span nothing is recorded, but its children still get their context. */
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
