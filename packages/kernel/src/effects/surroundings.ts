/** The injected clock, timer, random source and ids, made safe: one that throws counts as missing. */
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

  /** Undefined if there is no clock, or it fails. */
  now(): number | undefined {
    const time = this.#now && quietly(this.#now);
    return Number.isFinite(time) ? time : undefined;
  }

  /** Returns the handle for `clearTimer`; undefined if there is no timer or it could not be armed. */
  setTimer(ms: number, fn: () => void): CancelTimer | undefined {
    const { timer } = this.#clock;
    if (timer === undefined || ms === Infinity) return undefined;
    const cancel = quietly(() => timer(ms, fn));
    return typeof cancel === "function" ? cancel : undefined;
  }

  clearTimer(cancel: CancelTimer | undefined): void {
    if (cancel !== undefined) quietly(cancel);
  }

  /** In [0, 1). Undefined without a random source; then there is no jitter. */
  random(): number | undefined {
    const { random } = this.#clock;
    const chance = random && quietly(random);
    return Number.isFinite(chance) ? chance : undefined;
  }

  /** Undefined without an id source; ids are counted if the source fails. */
  newId(): string | undefined {
    const { newId } = this.#clock;
    if (newId === undefined) return undefined;
    const id = quietly(newId);
    return typeof id === "string" ? id : `id_${++this.#failedIds}`;
  }
}
