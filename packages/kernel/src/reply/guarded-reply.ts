/** A reply under an output guard: its events are held back until the guard has passed what they show. */
import type { LoopGuards, Rejection, ReplyToJudge } from "../contracts/guards.ts";
import { isPromise } from "../effects/is-promise.ts";
import { HeldEvents } from "./held-events.ts";
import { toRejection } from "./rejection.ts";
import type { Reply } from "./reply.ts";
import type { TurnState } from "../turn/turn-state.ts";

type Judge = NonNullable<LoopGuards["output"]>;

/** Growth of the text before it is judged again, as a share of the text: judging long replies must not take quadratic time. */
const growthShare = 1 / 16;

/** The stream of the reply. */
interface JudgedStream {
  /** Ends the stream. */
  stop(thrown: unknown): void;
  /** Shows events: an abort in the meantime takes effect afterwards. */
  show(events: () => void): void;
}

export class GuardedReply {
  readonly held: HeldEvents;
  readonly #turn: TurnState;
  readonly #judge: Judge;
  readonly #isIncremental: boolean;
  #judgedSize = 0;
  /** Verdict on the reply so far that is being waited for. */
  #underWay: Promise<void> | undefined;
  #end: GuardedEnd | undefined;

  constructor(turn: TurnState, judge: Judge, isIncremental: boolean) {
    this.#turn = turn;
    this.#judge = judge;
    this.#isIncremental = isIncremental;
    this.held = new HeldEvents(turn);
  }

  /** Judges the reply so far, if it has grown enough, and shows what passes. Otherwise the stream ends with a `GuardedEnd`. */
  onPart(reply: Reply, stream: JudgedStream): void {
    if (!this.#isIncremental || this.#underWay !== undefined) return;
    const { size } = reply;
    if (size <= this.#judgedSize * (1 + growthShare)) return;
    this.#judgedSize = size;
    const { count } = this.held;
    const end = (why: GuardedEnd["why"]): void => {
      this.#end = new GuardedEnd(why);
      stream.stop(this.#end);
    };
    const settle = (rejection: Rejection | undefined): void => {
      if (rejection === undefined) stream.show(() => this.held.release(count));
      else end({ rejection });
    };
    try {
      // Without a deadline of its own: the stream has deadlines, and so has the verdict on the whole reply, which waits for this one.
      const verdict = this.#turn.callbacks.callUntimed(name, () =>
        this.#judge({ text: reply.text }),
      );
      if (!isPromise(verdict)) return settle(toRejection(verdict));
      this.#underWay = verdict
        .then((found) => settle(toRejection(found)))
        .catch((thrown: unknown) => end({ thrown }))
        .then(() => {
          this.#underWay = undefined;
        });
    } catch (thrown) {
      end({ thrown });
    }
  }

  /** Judges the complete reply. Fails if a guard does. */
  async judge(reply: ReplyToJudge): Promise<Rejection | undefined> {
    const { callbacks } = this.#turn;
    if (this.#underWay !== undefined) await callbacks.take(name, this.#underWay);
    if (this.#end !== undefined) return this.#end.verdict;
    return toRejection(await callbacks.call(name, () => this.#judge(reply)));
  }
}

const name = "guards.output";

/** Ends a reply while it streams: a guard has rejected it, or failed. */
export class GuardedEnd extends Error {
  override readonly name = "GuardedEnd";
  readonly why: { readonly rejection: Rejection } | { readonly thrown: unknown };

  constructor(why: GuardedEnd["why"]) {
    super("A guard ended the reply");
    this.why = why;
  }

  /** Throws what the guard threw. */
  get verdict(): Rejection {
    if ("thrown" in this.why) throw this.why.thrown;
    return this.why.rejection;
  }
}
