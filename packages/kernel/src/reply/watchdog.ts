/** Deadlines of attempts, on one timer for the whole turn. */
import type { Deadlines } from "../contracts/loop.ts";
import type { Surroundings } from "../effects/surroundings.ts";

/** Reason why an attempt was given up. */
export type Expiry = "first part" | "next part" | "content" | "whole attempt";

/** An attempt that is watched. */
export interface Watched {
  /** Grows with all content that arrives. */
  readonly size: number;
  expire(expiry: Expiry, ms: number): void;
}

/**
 * A part only increments a number: it does not even read the clock. The timer checks that number when it fires, four times within the limit
 * for silence, so silence is detected late by at most a quarter of its limit; the other two limits are exact. The timer stays armed between
 * attempts: fifty quick steps cost one timer, not fifty.
 */
export class Watchdog {
  readonly #surroundings: Surroundings;
  readonly #firstPartMs: number;
  readonly #betweenPartsMs: number;
  readonly #contentMs: number;
  readonly #attemptMs: number;
  #cancel: (() => void) | undefined;
  #firesAt = 0;
  #watched: Watched | undefined;
  #startedAt = 0;
  #parts = 0;
  #partsSeen = 0;
  #seenAt = 0;
  #sizeSeen = 0;
  #contentAt = 0;

  constructor(surroundings: Surroundings, deadlines: Deadlines) {
    this.#surroundings = surroundings;
    this.#firstPartMs = deadlines.firstPartMs ?? 300_000;
    this.#betweenPartsMs = deadlines.betweenPartsMs ?? 120_000;
    this.#contentMs = deadlines.contentMs ?? Infinity;
    this.#attemptMs = deadlines.attemptMs ?? Infinity;
  }

  /** Watches one attempt until `stop`; `startedAt` is its start on the clock, if there is one. */
  start(watched: Watched, startedAt: number | undefined): void {
    this.#watched = watched;
    this.#parts = 0;
    this.#partsSeen = 0;
    this.#sizeSeen = 0;
    this.#startedAt = startedAt ?? this.#firesAt;
    if (this.#cancel === undefined) this.#arm(Infinity);
  }

  /** Called for each part. */
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
    // Never longer than any limit: the timer may still be armed when the next attempt starts.
    const silenceMs = Math.min(this.#betweenPartsMs, this.#contentMs) / 4;
    const delayMs = Math.min(ms, silenceMs, this.#firstPartMs, this.#attemptMs);
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
    const contentLeftMs = this.#contentLeft(watched.size, now);
    if (silenceLeftMs > 0 && attemptLeftMs > 0 && contentLeftMs > 0) {
      return this.#arm(Math.min(silenceLeftMs, attemptLeftMs, contentLeftMs));
    }
    this.stop();
    if (attemptLeftMs <= 0) watched.expire("whole attempt", this.#attemptMs);
    else if (silenceLeftMs <= 0) {
      watched.expire(hasBegun ? "next part" : "first part", silenceLimitMs);
    } else watched.expire("content", this.#contentLimit());
  }

  #contentLeft(size: number, now: number): number {
    if (size !== this.#sizeSeen) {
      this.#sizeSeen = size;
      this.#contentAt = now;
    }
    const since = size > 0 ? this.#contentAt : this.#startedAt;
    return since + this.#contentLimit() - now;
  }

  /** Before the first content, a keep-alive must not shorten the time allowed for silence. */
  #contentLimit(): number {
    if (this.#sizeSeen > 0) return this.#contentMs;
    return Math.max(this.#contentMs, this.#firstPartMs);
  }
}
