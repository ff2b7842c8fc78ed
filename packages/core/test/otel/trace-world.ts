/** A tracer of the real SDK, whose finished spans are kept to be looked at. */
import type { Tracer } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

export interface TraceWorld {
  readonly provider: TracerProvider;
  readonly tracer: Tracer;
  /** Those that have ended, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  /** The only one with this title. */
  span(title: string): ReadableSpan;
  /** Spans that have ended without a parent among them, each as `title(children)`. */
  tree(): string;
  readonly counts: { started: number };
}

export function traceWorld(): TraceWorld {
  const exporter = new InMemorySpanExporter();
  const counts = { started: 0 };
  const counter = {
    onStart: () => (counts.started += 1),
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const spanProcessors = [new SimpleSpanProcessor({ exporter }), counter];
  const provider = new TracerProvider({ spanProcessors });
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    provider,
    tracer: provider.getTracer("test"),
    spans,
    span(title) {
      const [span, ...others] = spans().filter(({ name }) => name === title);
      if (span === undefined || others.length > 0) throw new Error(`Not one span "${title}"`);
      return span;
    },
    tree: () => describe(spans(), undefined),
    counts,
  };
}

function describe(spans: readonly ReadableSpan[], parentId: string | undefined): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  return spans
    .filter(({ parentSpanContext: parent }) =>
      parentId === undefined ? !ids.has(parent?.spanId ?? "") : parent?.spanId === parentId,
    )
    .map((span) => {
      const children = describe(spans, span.spanContext().spanId);
      return children === "" ? span.name : `${span.name}(${children})`;
    })
    .join(", ");
}
