/** A reply under an output guard: its events are held back until the guard has passed what they show. */
import type { AssistantMessage } from "../contracts/conversation.ts";
import type { LoopGuards, Rejection, ReplyToJudge } from "../contracts/guards.ts";
import { isPromise } from "../effects/is-promise.ts";
import { HeldEvents } from "./held-events.ts";
import { toRejection } from "./rejection.ts";
import type { Reply } from "./reply.ts";
import type { TurnState } from "../turn/turn-state.ts";

type Judge = NonNullable<LoopGuards["output"]>;

/** Growth of the text before it is judged again, as a share of the text: judging long replies must not take quadratic time. */
const growthShare = 1 / 16;

export class GuardedReply {
  readonly held: HeldEvents;
  readonly #turn: TurnState;
  readonly #judge: Judge;
  readonly #isIncremental: boolean;
  #judgedSize = 0;
  #underWay: Promise<void> | undefined;

  constructor(turn: TurnState, judge: Judge, isIncremental: boolean) {
    this.#turn = turn;
    this.#judge = judge;
    this.#isIncremental = isIncremental;
    this.held = new HeldEvents(turn);
  }

  /** Judges the reply so far, if it has grown enough, and shows what passes. `stop` ends the reply. */
  onPart(reply: Reply, stop: (thrown: unknown) => void): void {
    if (!this.#isIncremental || this.#underWay !== undefined) return;
    const { size } = reply;
    if (size <= this.#judgedSize * (1 + growthShare)) return;
    this.#judgedSize = size;
    const { count } = this.held;
    const settle = (rejection: Rejection | undefined): void => {
      if (rejection === undefined) this.held.release(count);
      else stop(new RejectedReply(rejection));
    };
    const verdict = this.#ask({ text: reply.text });
    if (!isPromise(verdict)) return settle(verdict);
    this.#underWay = verdict.then(settle).catch(stop);
    this.#underWay = this.#underWay.then(() => {
      this.#underWay = undefined;
    });
  }

  /** Judges the complete reply. */
  async judge(text: string, message: AssistantMessage): Promise<Rejection | undefined> {
    return this.#ask({ text, message });
  }

  #ask(reply: ReplyToJudge): Rejection | undefined | Promise<Rejection | undefined> {
    const verdict = this.#turn.callbacks.call("guards.output", () => this.#judge(reply));
    return isPromise(verdict) ? verdict.then(toRejection) : toRejection(verdict);
  }
}

/** Ends a reply that was rejected while it streamed. */
export class RejectedReply extends Error {
  override readonly name = "RejectedReply";
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.reason);
    this.rejection = rejection;
  }
}
