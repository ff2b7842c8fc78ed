/** One call of the provider, from the request to its end, whatever the provider does. */
import type { AbortListener } from "../effects/abort.ts";
import { isPromise, toPromise } from "../effects/is-promise.ts";
import type { FinishReason } from "../contracts/conversation.ts";
import type { StepTiming } from "../contracts/events.ts";
import type { ProviderPart, ProviderRequest } from "../contracts/provider.ts";
import type { Deadlines } from "../contracts/loop.ts";
import type { ProviderErrorCode } from "../errors/errors.ts";
import { ProviderError } from "../errors/errors.ts";
import { leaveQuietly } from "../effects/quietly.ts";
import type { Reply } from "./reply.ts";
import type { AttemptSignal } from "./request.ts";
import type { TurnState } from "../turn/turn-state.ts";
import type { Expiry, Watched } from "./watchdog.ts";

type Parts = AsyncIterable<ProviderPart>;

export type StreamOutcome =
  | { readonly type: "completed" }
  | { readonly type: "aborted" }
  | { readonly type: "failed"; readonly thrown: unknown };

/** A request, and what ends it. */
interface Ask {
  readonly request: ProviderRequest;
  readonly signal: AttemptSignal;
}

/** Who is told how the stream ended, once. */
export interface StreamReader {
  onStreamEnd(outcome: StreamOutcome): void;
}

const cutShort =
  "ended its stream without a finish part, so the reply may be cut: ask again, or let the provider send one";

/** Which limit to raise. */
const limits: Record<Expiry, keyof Deadlines> = {
  "first part": "firstPartMs",
  "next part": "betweenPartsMs",
  content: "contentMs",
  "whole attempt": "attemptMs",
};

/** A mask: asked with every 64th part, so that a delta costs no more than a count. */
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
  /** Times on the caller's clock, where there is one; known when the stream has ended. */
  timing: StepTiming | undefined;

  constructor(turn: TurnState, ask: Ask, reply: Reply, reader: StreamReader) {
    this.#turn = turn;
    this.#ask = ask;
    this.#reply = reply;
    this.#reader = reader;
    this.#startedAt = turn.surroundings.now();
  }

  /**
   * Reads into the reply, and tells the reader when it is over. The loop that reads is not the one that waits: an abort or a deadline
   * ends the wait at once, and a provider that ignores its signal reads on into nothing.
   */
  start(): void {
    const { abort, watchdog } = this.#turn;
    if (abort.isAborted) return this.#end(aborted);
    abort.addListener(this);
    watchdog?.start(this, this.#startedAt);
    try {
      const parts: Parts | Promise<Parts> = this.#turn.input.provider.stream(this.#ask.request);
      // An async function in place of a generator is an easy slip.
      if (isPromise(parts))
        toPromise(parts)
          .then((late) => this.#open(late))
          .catch(this.#onThrown);
      else this.#open(parts);
    } catch (thrown) {
      this.#onThrown(thrown);
    }
  }

  get size(): number {
    return this.#reply.size;
  }

  onAbort(): void {
    // A listener may abort inside of an event: what belongs to the part that is being applied comes first.
    if (!this.#isApplying) this.#end(aborted);
  }

  expire(expiry: Expiry, ms: number): void {
    const problem = `was too slow: no ${expiry} within ${ms} ms. If its model needs longer, raise deadlines.${limits[expiry]}`;
    this.#end({ type: "failed", thrown: this.#error("network", problem) });
  }

  #open(parts: Parts): void {
    this.#iterator = parts[Symbol.asyncIterator]();
    this.#next();
  }

  /** By callbacks: an async function would hold its frame while a thousand turns wait for their models. */
  #next(): void {
    // The caller has opened the stream.
    const next = this.#iterator?.next() as Promise<IteratorResult<ProviderPart>>;
    toPromise(next).then(this.#onPart, this.#onThrown);
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
    if (reply.finishReason !== undefined) this.#finish(reply.finishReason);
    else if ((++this.#parts & breatheEvery) === 0) this.#nextInTurn();
    else this.#next();
  }

  /** Lets timers and others run first, if a provider that never waits has kept them from it for too long. */
  #nextInTurn(): void {
    const pause = this.#turn.breathe();
    if (pause === undefined) return this.#next();
    pause.then(() => (this.#isOver ? undefined : this.#next())).catch(this.#onThrown);
  }

  /** A reply that its provider calls failed is a failed attempt, whatever it has said. */
  #finish(reason: FinishReason): void {
    const isFailed = reason === "error" || reason === "aborted";
    if (!isFailed) return this.#end(completed);
    const problem = `ended the reply with the finish reason "${reason}" and did not say why: to do so, it throws a ProviderError`;
    this.#end({ type: "failed", thrown: this.#error("protocol", problem) });
  }

  #error(code: ProviderErrorCode, problem: string): ProviderError {
    const { provider } = this.#turn.route?.model ?? this.#turn.input;
    return new ProviderError(code, `The provider "${provider.id}" ${problem}`);
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
