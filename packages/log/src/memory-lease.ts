/** Who may append to one session now, and until when. */
import { leaseOver } from "./repository-failures.ts";
import type { Lease } from "./repository.ts";

/** All times are of the store's clock. A lease is over at its expiry, not behind it. */
export class MemoryLease {
  readonly #sessionId: string;
  #epoch: number;
  #owner: string | undefined;
  #expiresAt: number | undefined;

  /** Epochs go on from `lastEpoch`. */
  constructor(sessionId: string, lastEpoch: number) {
    this.#sessionId = sessionId;
    this.#epoch = lastEpoch;
  }

  /** The last that was given, or the one to go on from. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Undefined if nobody has the lease. It may have run out. */
  get expiresAt(): number | undefined {
    return this.#expiresAt;
  }

  isHeldByAnother(owner: string, now: number): boolean {
    return this.#isLive(now) && this.#owner !== owner;
  }

  give(owner: string, expiresAt: number): Lease {
    this.#epoch += 1;
    this.#owner = owner;
    this.#expiresAt = expiresAt;
    return { sessionId: this.#sessionId, owner, epoch: this.#epoch };
  }

  /** Fails with `fenced`. */
  check(lease: Lease, now: number): void {
    if (this.#isLive(now) && lease.epoch === this.#epoch && lease.sessionId === this.#sessionId) {
      return;
    }
    throw leaseOver(this.#sessionId, lease, this.#epoch);
  }

  extend(expiresAt: number): void {
    this.#expiresAt = expiresAt;
  }

  end(): void {
    this.#owner = undefined;
    this.#expiresAt = undefined;
  }

  #isLive(now: number): boolean {
    return this.#expiresAt !== undefined && now < this.#expiresAt;
  }
}
