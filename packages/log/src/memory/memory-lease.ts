/** Who may append to one session now, and until when. */
import { leaseOver } from "../repository/repository-failures.ts";
import type { Lease } from "../repository/repository.ts";

/** All times are of the store's clock. A lease is over at its expiry, not behind it. */
export class MemoryLease {
  readonly #sessionId: string;
  #epoch: number;
  #owner: string | undefined;
  #expiresAt: number | undefined;
  #lastOwned = 0;

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

  /** When it was last given, or given back; 0 if it never was. */
  get lastOwned(): number {
    return this.#lastOwned;
  }

  isHeldByAnother(owner: string, now: number): boolean {
    return this.#isLive(now) && this.#owner !== owner;
  }

  give(owner: string, now: number, ttlMs: number): Lease {
    this.#epoch += 1;
    this.#owner = owner;
    this.#expiresAt = now + ttlMs;
    this.#lastOwned = now;
    return { sessionId: this.#sessionId, owner, epoch: this.#epoch };
  }

  /** Fails with `fenced`. */
  check(lease: Lease, now: number): void {
    if (this.#isLive(now) && lease.epoch === this.#epoch && lease.sessionId === this.#sessionId) {
      return;
    }
    throw leaseOver(this.#sessionId, lease, this.#epoch);
  }

  /** Also a lease that has run out, as long as it is the last that was given and was not given back. Fails with `fenced`. */
  extend(lease: Lease, expiresAt: number): void {
    const isLast = lease.epoch === this.#epoch && lease.sessionId === this.#sessionId;
    if (!isLast || this.#expiresAt === undefined) {
      throw leaseOver(this.#sessionId, lease, this.#epoch);
    }
    this.#expiresAt = expiresAt;
  }

  end(now: number): void {
    this.#lastOwned = now;
    this.#owner = undefined;
    this.#expiresAt = undefined;
  }

  #isLive(now: number): boolean {
    return this.#expiresAt !== undefined && now < this.#expiresAt;
  }
}
