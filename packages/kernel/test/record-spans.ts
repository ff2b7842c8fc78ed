/** A logger that keeps the spans it was asked for, to be looked at as a tree. */
import type { LogFields, Logger, SerializedError, Span, SpanName } from "@capstan/kernel";

interface RecordedSpan extends Span {
  readonly name: SpanName;
  readonly attributes: LogFields;
  /** Attributes that were set later. */
  readonly outcome: LogFields;
  readonly children: readonly RecordedSpan[];
  /** How often it was ended. */
  readonly ends: number;
  readonly error: SerializedError | undefined;
}

export interface SpanRecorder {
  readonly logger: Logger;
  readonly spans: readonly RecordedSpan[];
  /** Problems: a span that did not end once, or that a child outlived. */
  problems(): string[];
  /** The spans without a parent, each as `name(children)`. */
  tree(): string;
  /** Each start and each end, in order. */
  readonly order: readonly string[];
}

class SpanUnderWay implements RecordedSpan {
  readonly name: SpanName;
  readonly attributes: LogFields;
  readonly children: SpanUnderWay[] = [];
  readonly problems: string[] = [];
  readonly #order: string[];
  outcome: LogFields = {};
  ends = 0;
  error: SerializedError | undefined;

  constructor(name: SpanName, attributes: LogFields, order: string[]) {
    this.name = name;
    this.attributes = attributes;
    this.#order = order;
    order.push(`start ${name}`);
  }

  setAttributes(attributes: LogFields): void {
    this.outcome = { ...this.outcome, ...attributes };
  }

  end(error?: SerializedError): void {
    this.ends += 1;
    this.#order.push(`end ${this.name}`);
    this.error = error;
    const open = this.children.filter((child) => child.ends === 0);
    this.problems.push(...open.map((child) => `${this.name} ended before its ${child.name}`));
  }
}

export function recordSpans(): SpanRecorder {
  const spans: SpanUnderWay[] = [];
  const roots: SpanUnderWay[] = [];
  const order: string[] = [];
  return {
    logger: {
      log: () => {},
      startSpan(name, attributes, parent) {
        const span = new SpanUnderWay(name, attributes, order);
        spans.push(span);
        const siblings = spans.find((other) => other === parent)?.children ?? roots;
        siblings.push(span);
        return span;
      },
    },
    spans,
    order,
    problems: () =>
      spans.flatMap((span) => [
        ...(span.ends === 1 ? [] : [`${span.name} ended ${span.ends} times`]),
        ...span.problems,
      ]),
    tree: () => roots.map(describe).join(" "),
  };
}

function describe({ name, children }: RecordedSpan): string {
  return children.length === 0 ? name : `${name}(${children.map(describe).join(" ")})`;
}
