/** The deadlines of attempts, on one timer for the whole turn. */
import type { Deadlines, Timer } from "./contracts/runtime.ts";

/** Why an attempt was given up. */
export type Expiry = "first part" | "next part" | "whole attempt";

/** What is watched. */
export interface Watched {
  expire(expiry: Expiry, ms: number): void;
}

/**
 * A part only writes a number; the timer re-arms itself when it fires and finds that nothing is due. It stays armed
 * between attempts, so that fifty quick steps cost one timer and not fifty.
 */
export class Watchdog {
  readonly #timer: Timer;
  readonly #now: () => number;
  readonly #firstPartMs: number;
  readonly #betweenPartsMs: number;
  readonly #attemptMs: number;
  #cancel: (() => void) | undefined;
  #firesAt = 0;
  #watched: Watched | undefined;
  #startedAt = 0;
  #lastPartAt: number | undefined;

  constructor(timer: Timer, now: (() => number) | undefined, deadlines: Deadlines) {
    this.#timer = timer;
    // Without a clock a part counts as seen when the timer fires next: late by one period, never early.
    this.#now = now ?? (() => this.#firesAt);
    this.#firstPartMs = deadlines.firstPartMs ?? 300_000;
    this.#betweenPartsMs = deadlines.betweenPartsMs ?? 120_000;
    this.#attemptMs = deadlines.attemptMs ?? Infinity;
  }

  /** Watches one attempt until `stop`. */
  start(watched: Watched): void {
    this.#watched = watched;
    this.#startedAt = this.#now();
    this.#lastPartAt = undefined;
    const soonest = Math.min(this.#firstPartMs, this.#betweenPartsMs, this.#attemptMs);
    if (this.#cancel === undefined) this.#arm(soonest);
  }

  /** A part came. */
  beat(): void {
    this.#lastPartAt = this.#now();
  }

  stop(): void {
    this.#watched = undefined;
  }

  close(): void {
    this.stop();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(ms: number): void {
    if (ms === Infinity) return;
    this.#firesAt = this.#now() + ms;
    this.#cancel = this.#timer(ms, () => this.#fire());
  }

  #fire(): void {
    this.#cancel = undefined;
    const watched = this.#watched;
    if (watched === undefined) return;
    const silence: readonly [Expiry, number, number] =
      this.#lastPartAt === undefined
        ? ["first part", this.#firstPartMs, this.#startedAt]
        : ["next part", this.#betweenPartsMs, this.#lastPartAt];
    const whole: readonly [Expiry, number, number] = [
      "whole attempt",
      this.#attemptMs,
      this.#startedAt,
    ];
    const [expiry, limitMs, since] =
      silence[1] + silence[2] <= whole[1] + whole[2] ? silence : whole;
    const leftMs = since + limitMs - this.#now();
    if (leftMs > 0) return this.#arm(Math.min(leftMs, this.#betweenPartsMs));
    this.stop();
    watched.expire(expiry, limitMs);
  }
}
