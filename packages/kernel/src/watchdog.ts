/** The deadlines of attempts, on one timer for the whole turn. */
import type { Deadlines } from "./contracts/runtime.ts";
import type { Surroundings } from "./surroundings.ts";

/** Why an attempt was given up. */
export type Expiry = "first part" | "next part" | "whole attempt";

/** What is watched. */
export interface Watched {
  expire(expiry: Expiry, ms: number): void;
}

/**
 * A part only counts up a number: it does not even read the clock. The timer looks at that number when it fires, four
 * times within the limit for a silence, so a silence is noticed late by a quarter of its limit at most; the other two
 * limits are exact. It stays armed between attempts: fifty quick steps cost one timer and not fifty.
 */
export class Watchdog {
  readonly #surroundings: Surroundings;
  readonly #firstPartMs: number;
  readonly #betweenPartsMs: number;
  readonly #attemptMs: number;
  #cancel: (() => void) | undefined;
  #firesAt = 0;
  #watched: Watched | undefined;
  #startedAt = 0;
  #parts = 0;
  #partsSeen = 0;
  #seenAt = 0;

  constructor(surroundings: Surroundings, deadlines: Deadlines) {
    this.#surroundings = surroundings;
    this.#firstPartMs = deadlines.firstPartMs ?? 300_000;
    this.#betweenPartsMs = deadlines.betweenPartsMs ?? 120_000;
    this.#attemptMs = deadlines.attemptMs ?? Infinity;
  }

  /** Watches one attempt until `stop`; `startedAt` is its time on the clock, where there is one. */
  start(watched: Watched, startedAt: number | undefined): void {
    this.#watched = watched;
    this.#parts = 0;
    this.#partsSeen = 0;
    this.#startedAt = startedAt ?? this.#firesAt;
    if (this.#cancel === undefined) this.#arm(Infinity);
  }

  /** A part came. */
  beat(): void {
    this.#parts++;
  }

  stop(): void {
    this.#watched = undefined;
  }

  close(): void {
    this.stop();
    this.#surroundings.clearTimer(this.#cancel);
    this.#cancel = undefined;
  }

  #arm(ms: number): void {
    // Never for longer than any limit: the timer may still be armed when the next attempt starts.
    const delayMs = Math.min(ms, this.#betweenPartsMs / 4, this.#firstPartMs, this.#attemptMs);
    this.#firesAt = this.#now() + delayMs;
    this.#cancel = this.#surroundings.setTimer(delayMs, () => this.#fire());
  }

  /** Without a clock the time is that of the next firing: late by one period, never early. */
  #now(): number {
    return this.#surroundings.now() ?? this.#firesAt;
  }

  #fire(): void {
    this.#cancel = undefined;
    const watched = this.#watched;
    if (watched === undefined) return;
    const now = this.#now();
    if (this.#parts !== this.#partsSeen) {
      this.#partsSeen = this.#parts;
      this.#seenAt = now;
    }
    const hasBegun = this.#parts > 0;
    const silenceLimitMs = hasBegun ? this.#betweenPartsMs : this.#firstPartMs;
    const silenceLeftMs = (hasBegun ? this.#seenAt : this.#startedAt) + silenceLimitMs - now;
    const attemptLeftMs = this.#startedAt + this.#attemptMs - now;
    if (silenceLeftMs > 0 && attemptLeftMs > 0) {
      return this.#arm(Math.min(silenceLeftMs, attemptLeftMs));
    }
    this.stop();
    if (attemptLeftMs <= 0) watched.expire("whole attempt", this.#attemptMs);
    else watched.expire(hasBegun ? "next part" : "first part", silenceLimitMs);
  }
}
