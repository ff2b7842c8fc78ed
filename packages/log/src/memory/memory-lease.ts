/** The lease of one session: who may append now, and until when. */
import { leaseOver } from "../repository/repository-failures.ts";
import type { Lease } from "../repository/repository.ts";

/** All times are on the store's clock. A lease has ended at its expiry, not after it. */
export class MemoryLease {
  readonly #sessionId: string;
  #epoch: number;
  #owner: string | undefined;
  #expiresAt: number | undefined;
  #lastOwned = 0;

  /** Epochs continue from `lastEpoch`. */
  constructor(sessionId: string, lastEpoch: number) {
    this.#sessionId = sessionId;
    this.#epoch = lastEpoch;
  }

  /** Last epoch that was given, or the one to continue from. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Undefined if no process holds the lease. The lease may have expired. */
  get expiresAt(): number | undefined {
    return this.#expiresAt;
  }

  /** Time at which it was last given or released; 0 if never. */
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

  /** Also extends an expired lease, if it is the last one that was given and was not released. Fails with `fenced`. */
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
