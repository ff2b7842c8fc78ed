/** A span of the kernel and its position in a trace. */
import type { LogFields, SerializedError, Span, SpanContent } from "@capstan/kernel";
import type { Context, Span as TraceSpan } from "@opentelemetry/api";
import { SpanStatusCode } from "@opentelemetry/api";
import { toAttributes } from "./gen-ai-attributes.ts";
import { contentAttributes } from "./gen-ai-content.ts";

/** Context for its child spans. */
export interface Place {
  readonly context: Context;
  readonly conversationId: LogFields[string];
}

export class PlacedSpan implements Span {
  readonly place: Place;
  readonly #span: TraceSpan | undefined;
  readonly #onEnd: (() => void) | undefined;
  readonly #maxChars: number;

  /** Without a trace span nothing is recorded, but its children still get their context. */
  constructor(place: Place, span?: TraceSpan, onEnd?: () => void, maxChars: number = 0) {
    this.#maxChars = maxChars;
    this.place = place;
    this.#span = span;
    this.#onEnd = onEnd;
  }

  setAttributes(fields: LogFields): void {
    this.#span?.setAttributes(toAttributes(fields));
  }

  setContent(content: SpanContent): void {
    this.#span?.setAttributes(contentAttributes(content, this.#maxChars));
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
