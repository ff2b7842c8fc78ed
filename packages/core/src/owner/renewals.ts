/** Keeps the leases of a host alive, on one timer for all of them: a turn may be short, and there may be thousands at a time. */
import type { Clock } from "../platform/clock.ts";
import { idleTimerOf } from "../platform/clock.ts";

/** Somebody whose lease has to be renewed. */
export interface Renewable {
  renew(): void;
  /** Undefined if the lease has not run out by the clock of this process. */
  confirm(now: number): Promise<void> | undefined;
}

export class Renewals {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #renewables = new Set<Renewable>();
  #cancelTimer: (() => void) | undefined;

  /** Three times within the time that a lease lasts: one may fail. */
  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#everyMs = leaseMs / 3;
  }

  add(renewable: Renewable): void {
    this.#renewables.add(renewable);
    if (this.#cancelTimer === undefined) this.#fireLater();
  }

  /** The timer is left to itself: the next one will come soon, or it finds nobody. */
  remove(renewable: Renewable): void {
    this.#renewables.delete(renewable);
  }

  /** Asks the store for every lease that has run out while this process slept. Never rejects: those that are not ours any more are lost. */
  async confirm(): Promise<void> {
    const now = this.#clock.now();
    const confirmed = Array.from(this.#renewables, (renewable) => renewable.confirm(now));
    const waiting = confirmed.filter((one) => one !== undefined);
    if (waiting.length > 0) await Promise.allSettled(waiting);
  }

  close(): void {
    this.#renewables.clear();
    this.#cancelTimer?.();
  }

  #fireLater(): void {
    this.#cancelTimer = idleTimerOf(this.#clock)(this.#everyMs, () => {
      this.#cancelTimer = undefined;
      for (const renewable of this.#renewables) renewable.renew();
      if (this.#renewables.size > 0) this.#fireLater();
    });
  }
}
