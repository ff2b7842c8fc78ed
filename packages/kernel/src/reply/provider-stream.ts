/** One call of the provider, from the request to its end, however the provider behaves. */
import type { AbortListener } from "../effects/abort.ts";
import { isPromise, toPromise } from "../effects/is-promise.ts";
import type { FinishReason } from "../contracts/conversation.ts";
import type { StepTiming } from "../contracts/events.ts";
import type { ProviderPart, ProviderRequest } from "../contracts/provider.ts";
import type { Span } from "../contracts/logging.ts";
import type { Deadlines } from "../contracts/loop.ts";
import type { ProviderErrorCode } from "../errors/errors.ts";
import { ProviderError } from "../errors/errors.ts";
import { leaveQuietly } from "../effects/quietly.ts";
import type { Spans } from "../effects/spans.ts";
import type { Reply } from "./reply.ts";
import type { AttemptSignal } from "./request.ts";
import type { TurnState } from "../turn/turn-state.ts";
import type { Expiry, Watched } from "./watchdog.ts";

type Parts = AsyncIterable<ProviderPart>;

export type StreamOutcome =
  | { readonly type: "completed" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly thrown: unknown };

/** A request, and the signal that ends it. */
interface Ask {
  readonly request: ProviderRequest;
  readonly signal: AttemptSignal;
  readonly span: Span | undefined;
}

export interface StreamReader {
  /** Called after each part that does not end the stream. */
  readonly onPart?: (() => void) | undefined;
  /** Called once when the stream has ended. */
  onStreamEnd(outcome: StreamOutcome): void;
}

const cutShort =
  "ended its stream without a finish part, so the reply may be truncated: retry, or make the provider send one";

/** Option to raise for each expiry. */
const limits: Record<Expiry, keyof Deadlines> = {
  "first part": "firstPartMs",
  "next part": "betweenPartsMs",
  content: "contentMs",
  "whole attempt": "attemptMs",
};

/** A mask: checked on every 64th part, so that a delta costs only a count. */
const breatheEvery = 63;

const completed: StreamOutcome = { type: "completed" };
const aborted: StreamOutcome = { type: "aborted" };

export class ProviderStream implements AbortListener, Watched {
  readonly #turn: TurnState;
  readonly #ask: Ask;
  readonly #reply: Reply;
  readonly #reader: StreamReader;
  readonly #startedAt: number | undefined;
  #firstContentAt: number | undefined;
  #iterator: AsyncIterator<ProviderPart> | undefined;
  #parts = 0;
  #isApplying = false;
  #isOver = false;
  /** Durations on the caller's clock, if there is one; set when the stream has ended. */
  timing: StepTiming | undefined;

  constructor(turn: TurnState, ask: Ask, reply: Reply, reader: StreamReader) {
    this.#turn = turn;
    this.#ask = ask;
    this.#reply = reply;
    this.#reader = reader;
    this.#startedAt = turn.surroundings.now();
  }

  /**
   * Reads into the reply, and notifies the reader when the stream has ended. The loop that reads is not the one that waits: an abort or a
   * deadline ends the wait immediately, and the parts of a provider that ignores its signal are dropped.
   */
  start(): void {
    const { abort, watchdog } = this.#turn;
    if (abort.isAborted) return this.#end(aborted);
    abort.addListener(this);
    watchdog?.start(this, this.#startedAt);
    try {
      const parts = this.#send();
      // Returning a promise of an iterable (an async function instead of a generator) is a common mistake.
      if (isPromise(parts))
        toPromise(parts)
          .then((late) => this.#open(late))
          .catch(this.#onThrown);
      else this.#open(parts);
    } catch (thrown) {
      this.#onThrown(thrown);
    }
  }

  /** Calls a function that shows events of the reply; none if the stream has ended. */
  show(events: () => void): void {
    if (this.#isOver) return;
    const isApplying = this.#isApplying;
    this.#isApplying = true;
    events();
    this.#isApplying = isApplying;
    if (!isApplying && this.#turn.abort.isAborted) this.#end(aborted);
  }

  /** Ends the stream, because its reply is not wanted. */
  stop(thrown: unknown): void {
    this.#end({ type: "failed", thrown });
  }

  get size(): number {
    return this.#reply.size;
  }

  onAbort(): void {
    // A listener may abort during an event: the remaining events of the current part come first.
    if (!this.#isApplying) this.#end(aborted);
  }

  expire(expiry: Expiry, ms: number): void {
    const problem = `was too slow: no ${expiry} within ${ms} ms. If the model needs longer, raise deadlines.${limits[expiry]}`;
    this.#end({ type: "failed", thrown: this.#error("network", problem) });
  }

  #open(parts: Parts): void {
    this.#iterator = parts[Symbol.asyncIterator]();
    this.#next();
  }

  /** Uses callbacks: an async function would hold its frame while a thousand turns wait for their models. */
  #next(): void {
    const { spans } = this.#turn;
    const next = spans === undefined ? this.#pull() : this.#pullWithin(spans);
    toPromise(next).then(this.#onPart, this.#onThrown);
  }

  /** The caller has opened the stream. */
  #pull(): Promise<IteratorResult<ProviderPart>> {
    return this.#iterator?.next() as Promise<IteratorResult<ProviderPart>>;
  }

  /** A method of its own: a function with a closure in it allocates a context whenever it is called. */
  #pullWithin(spans: Spans): Promise<IteratorResult<ProviderPart>> {
    return spans.within(this.#ask.span, () => this.#pull());
  }

  #send(): Parts | Promise<Parts> {
    const { spans } = this.#turn;
    return spans === undefined ? this.#stream() : this.#streamWithin(spans);
  }

  /** Requests that the provider traces are nested in the attempt. */
  #streamWithin(spans: Spans): Parts | Promise<Parts> {
    return spans.within(this.#ask.span, () => this.#stream());
  }

  #stream(): Parts | Promise<Parts> {
    return this.#turn.target.provider.stream(this.#ask.request);
  }

  readonly #onPart = (result: IteratorResult<ProviderPart>): void => {
    if (this.#isOver) return;
    try {
      const { value, done } = result;
      if (done === true) throw this.#error("network", cutShort);
      this.#take(value);
    } catch (thrown) {
      this.#onThrown(thrown);
    }
  };

  readonly #onThrown = (thrown: unknown): void => {
    this.#isApplying = false;
    this.#end({ type: "failed", thrown });
  };

  #take(part: ProviderPart): void {
    const { abort, watchdog, surroundings } = this.#turn;
    const reply = this.#reply;
    watchdog?.beat();
    this.#isApplying = true;
    reply.apply(part);
    this.#isApplying = false;
    if (abort.isAborted) return this.#end(aborted);
    if (this.#firstContentAt === undefined && reply.hasContent) {
      this.#firstContentAt = surroundings.now();
    }
    if (reply.finishReason === undefined) this.#reader.onPart?.();
    if (this.#isOver) return;
    if (reply.finishReason !== undefined) this.#finish(reply.finishReason);
    else if ((++this.#parts & breatheEvery) === 0) this.#nextInTurn();
    else this.#next();
  }

  /** Yields to timers and other work first, if a provider that never waits has blocked them for too long. */
  #nextInTurn(): void {
    const pause = this.#turn.breathe();
    if (pause === undefined) return this.#next();
    pause.then(() => (this.#isOver ? undefined : this.#next())).catch(this.#onThrown);
  }

  /** A reply that its provider reports as failed is a failed attempt, whatever its content. */
  #finish(reason: FinishReason): void {
    const isFailed = reason === "error" || reason === "aborted";
    if (!isFailed) return this.#end(completed);
    const problem = `ended the reply with the finish reason "${reason}" and no error: throw a ProviderError to report the cause`;
    this.#end({ type: "failed", thrown: this.#error("protocol", problem) });
  }

  #error(code: ProviderErrorCode, problem: string): ProviderError {
    const { id } = this.#turn.target.askedProvider;
    return new ProviderError(code, `The provider "${id}" ${problem}`);
  }

  #end(outcome: StreamOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#turn.abort.removeListener(this);
    this.#turn.watchdog?.stop();
    this.timing = this.#measure();
    if (outcome !== completed) this.#ask.signal.cancel();
    leaveQuietly(this.#iterator);
    this.#reader.onStreamEnd(outcome);
  }

  #measure(): StepTiming | undefined {
    const endedAt = this.#turn.surroundings.now();
    if (endedAt === undefined || this.#startedAt === undefined) return undefined;
    const totalMs = endedAt - this.#startedAt;
    const firstContentAt = this.#firstContentAt;
    if (firstContentAt === undefined) return { totalMs };
    return {
      ttftMs: firstContentAt - this.#startedAt,
      decodeMs: endedAt - firstContentAt,
      totalMs,
    };
  }
}
