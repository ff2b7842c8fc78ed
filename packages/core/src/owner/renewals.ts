/** Renews the leases of a host, with one timer for all: a turn may be short, and thousands may run at a time. */
import type { Clock } from "../platform/clock.ts";
import { idleTimerOf } from "../platform/clock.ts";

/** The holder of a lease that has to be renewed. */
export interface Renewable {
  renew(): void;
  /** Undefined if the lease has not expired by the clock of this process. */
  confirm(now: number): Promise<void> | undefined;
}

/** Registration of a lease, until it is removed. The set must not hold the lease itself: see `ReleasingMap`. */
export interface Renewal {
  renewable: Renewable | undefined;
}

export class Renewals {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #renewals = new Set<Renewal>();
  #cancelTimer: (() => void) | undefined;

  /** Renews three times during a lease, so that one renewal may fail. */
  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#everyMs = leaseMs / 3;
  }

  add(renewable: Renewable): Renewal {
    const renewal: Renewal = { renewable };
    this.#renewals.add(renewal);
    if (this.#cancelTimer === undefined) this.#fireLater();
    return renewal;
  }

  /** Keeps the timer: a new lease will come soon, or the timer finds nothing to renew. */
  remove(renewal: Renewal): void {
    renewal.renewable = undefined;
    this.#renewals.delete(renewal);
  }

  /** Confirms every lease that expired while this process slept. Never rejects: leases that were taken are lost. */
  async confirm(): Promise<void> {
    const now = this.#clock.now();
    const confirmed = Array.from(this.#renewals, ({ renewable }) => renewable?.confirm(now));
    const waiting = confirmed.filter((one) => one !== undefined);
    if (waiting.length > 0) await Promise.allSettled(waiting);
  }

  close(): void {
    this.#renewals.clear();
    this.#cancelTimer?.();
  }

  #fireLater(): void {
    this.#cancelTimer = idleTimerOf(this.#clock)(this.#everyMs, () => {
      this.#cancelTimer = undefined;
      for (const { renewable } of this.#renewals) renewable?.renew();
      if (this.#renewals.size > 0) this.#fireLater();
    });
  }
}
