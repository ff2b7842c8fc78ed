/** A logger that makes OpenTelemetry spans of an agent's work. */
import type { LogFields, Logger, Span, SpanName } from "@capstan/kernel";
import type { Context, SpanContext, Tracer, Span as TraceSpan } from "@opentelemetry/api";
import { context, trace, TraceFlags } from "@opentelemetry/api";
import { toAttributes } from "./gen-ai-attributes.ts";
import { describeSpan } from "./gen-ai-span.ts";
import { PlacedSpan } from "./placed-span.ts";
import { fromTraceParent, toTraceParent } from "./trace-parent.ts";

/** Version of this package: a trace states which mapping made it. */
const version = "0.1.0";

/** Options of `otelLogger`. */
export interface OtelLoggerOptions {
  /** Default: a tracer of the provider that the process has registered. */
  readonly tracer?: Tracer;
  /** The `name` of the agent that gets this logger. */
  readonly agentName?: string;
  /**
   * Whether spans record content: messages, replies, and the input and output of tools. Up to so many characters each, 20,000 for `true`.
   * Default false.
   */
  readonly content?: boolean | number;
  /** Receives the log lines. Default: each is an event on the span of its turn, or on the active span if its turn is not open. */
  readonly log?: Logger["log"];
}

/**
 * Creates a logger for `createAgent({ logger })` that reports turns as OpenTelemetry spans. Spans contain no
 * content unless `content` is set: neither messages nor the input and output of tools.
 */
export function otelLogger(options: OtelLoggerOptions = {}): Logger {
  return new OtelLogger(options);
}

class OtelLogger implements Logger {
  readonly #tracer: Tracer;
  readonly #agentName: string | undefined;
  readonly #log: Logger["log"] | undefined;
  readonly #maxChars: number;
  /** Spans by turn id, because a log line names its turn and has no span. */
  readonly #openTurns = new Map<LogFields[string], TraceSpan>();

  constructor({ tracer, agentName, log, content = false }: OtelLoggerOptions) {
    this.#maxChars = typeof content === "number" ? content : content ? defaultChars : 0;
    this.#tracer = tracer ?? trace.getTracer("@capstan/core", version);
    this.#agentName = agentName;
    this.#log = log;
  }

  log(...[level, message, fields = {}]: Parameters<Logger["log"]>): void {
    if (this.#log !== undefined) return this.#log(level, message, fields);
    const span = this.#openTurns.get(fields["turnId"]) ?? trace.getActiveSpan();
    span?.addEvent(message, { level, ...toAttributes(fields) });
  }

  get hasContent(): boolean {
    return this.#maxChars > 0;
  }

  within<T>(span: Span, call: () => T): T {
    return span instanceof PlacedSpan ? context.with(span.place.context, call) : call();
  }

  trace(): string | undefined {
    const span = trace.getSpan(callerContext());
    return span && toTraceParent(span.spanContext());
  }

  startSpan(name: SpanName, { trace: sentFrom, ...fields }: LogFields, parent?: Span): Span {
    const outer = parent instanceof PlacedSpan ? parent.place : undefined;
    const within = outer?.context ?? senderContext(sentFrom);
    const conversationId = outer === undefined ? conversationOf(fields) : outer.conversationId;
    const described = describeSpan(name, { ...fields, conversationId }, this.#agentName);
    if (described === undefined) return new PlacedSpan({ context: within, conversationId });
    const span = this.#tracer.startSpan(described.title, described.options, within);
    const place = { context: trace.setSpan(within, span), conversationId };
    if (name !== "turn") return new PlacedSpan(place, span, undefined, this.#maxChars);
    const { turnId } = fields;
    this.#openTurns.set(turnId, span);
    return new PlacedSpan(place, span, () => this.#openTurns.delete(turnId));
  }
}

/** A turn without a session uses its own id for both fields, and the conventions want no id without a meaning. */
function conversationOf({ conversationId, turnId }: LogFields): LogFields[string] {
  return conversationId === turnId ? undefined : conversationId;
}

const defaultChars = 20_000;

/** Context that a turn was sent from, in whichever process that was; by default the active one. */
function senderContext(sentFrom: LogFields[string]): Context {
  const sender = sentFrom === undefined ? undefined : fromTraceParent(sentFrom);
  return sender === undefined ? callerContext() : contextOf(sender);
}

function contextOf(sender: SpanContext): Context {
  const active = context.active();
  // In the process of the sender its span is better than a copy of its ids.
  const isActive = trace.getSpanContext(active)?.spanId === sender.spanId;
  return isActive ? active : trace.setSpanContext(active, sender);
}

/**
 * Returns the active context, the parent of a turn's spans. A session continues work that began within an earlier request, whose span may
 * have ended by now: then the turn is its own trace.
 */
function callerContext(): Context {
  const active = context.active();
  const span = trace.getSpan(active);
  return span !== undefined && hasEnded(span) ? trace.deleteSpan(active) : active;
}

/** A sampled span of this process records until its end. For others it is unknown. */
function hasEnded(span: TraceSpan): boolean {
  const { traceFlags, isRemote } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return isSampled && isRemote !== true && !span.isRecording();
}
