/** The injected clock, timer, chance and ids, tamed: one that throws is one that is not there. */
import type { LoopClock } from "../contracts/loop.ts";
import type { RunTurnInput } from "../contracts/runtime.ts";
import { quietly } from "./quietly.ts";

export type CancelTimer = () => void;

export class Surroundings {
  readonly #now: (() => number) | undefined;
  readonly #clock: LoopClock;
  #failedIds = 0;

  constructor({ now, clock = {} }: Pick<RunTurnInput, "now" | "clock">) {
    this.#now = now;
    this.#clock = clock;
  }

  get hasTimer(): boolean {
    return this.#clock.timer !== undefined;
  }

  /** Where there is no clock, or it fails, nothing. */
  now(): number | undefined {
    const time = this.#now && quietly(this.#now);
    return Number.isFinite(time) ? time : undefined;
  }

  /** What `clearTimer` needs; nothing, if there is no timer or it could not be armed. */
  setTimer(ms: number, fn: () => void): CancelTimer | undefined {
    const { timer } = this.#clock;
    if (timer === undefined || ms === Infinity) return undefined;
    const cancel = quietly(() => timer(ms, fn));
    return typeof cancel === "function" ? cancel : undefined;
  }

  clearTimer(cancel: CancelTimer | undefined): void {
    if (cancel !== undefined) quietly(cancel);
  }

  /** In [0, 1); where there is no chance, nothing, and then there is no jitter. */
  random(): number | undefined {
    const { random } = this.#clock;
    const chance = random && quietly(random);
    return Number.isFinite(chance) ? chance : undefined;
  }

  /** Where there are none, nothing; where they fail, they are counted. */
  newId(): string | undefined {
    const { newId } = this.#clock;
    if (newId === undefined) return undefined;
    const id = quietly(newId);
    return typeof id === "string" ? id : `id_${++this.#failedIds}`;
  }
}
