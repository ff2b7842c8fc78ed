/** Finds due sessions and claims them: periodically, when a lease is about to expire, and as soon as a slot is free. */
import { background } from "@capstan/kernel";
import type { Claim } from "@capstan/log";
import { idleTimerOf } from "../platform/clock.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { Slot } from "./slots.ts";
import { Slots } from "./slots.ts";

/** Sessions claimed by one call of the store: a host that is about to be killed should not hold many that it has not started. */
const claimsAtOnce = 100;

/** Minimum time between two searches, if the store predicts the next due time. */
const minPollMs = 20;

export interface DueSessionsOptions {
  readonly host: SessionHost;
  /** Names of the agents whose sessions are claimed. */
  readonly agents: readonly string[];
  readonly pollMs: number;
  readonly maxTurns: number;
  /** False: polls only, for a host that belongs to one session and ignores all others. */
  readonly isSearching: boolean;
  /** Works under a lease that was claimed. A host that was closed in the meantime releases it. */
  adopt(claim: Claim, askedAt: number, slot: Slot): void;
  /** Called at each poll, before the search. */
  onPoll(): void;
}

export class DueSessions {
  readonly #options: DueSessionsOptions;
  readonly #slots: Slots;
  #nextPollMs: number;
  /** The search in progress. */
  #search: Promise<void> | undefined;
  /** Whether the last search ended because no slot was free: more sessions may be due. */
  #isMoreDue = false;
  /** Whether the last search failed: an outage is reported once. */
  #isFailing = false;
  #cancelPoll: (() => void) | undefined;
  #isClosed = false;

  constructor(options: DueSessionsOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxTurns, () => this.#onFreeSlot());
    this.#nextPollMs = options.pollMs;
    this.#pollLater();
  }

  /** Claims due sessions, as many as there are free slots. */
  async claim(): Promise<void> {
    // One search at a time: two would share the same slots.
    this.#search ??= this.#claimAll().finally(() => {
      this.#search = undefined;
    });
    await this.#search;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll?.();
  }

  async #claimAll(): Promise<void> {
    const { host, agents, adopt } = this.#options;
    const { repository, owner, leaseMs: ttlMs, clock, renewals } = host;
    while (!this.#isClosed) {
      const limit = Math.min(this.#slots.free, claimsAtOnce);
      this.#isMoreDue = limit === 0;
      if (limit === 0) return;
      // Otherwise a process that only slept would find its own sessions due, and take them from itself.
      await renewals.confirm();
      const askedAt = clock.now();
      const claims = await repository.claimDue({ agents, owner, ttlMs, limit });
      for (const claim of claims) adopt(claim, askedAt, this.#slots.take());
      if (claims.length < limit) return this.#foresee();
    }
  }

  /** Plans the next search: at the next poll, or when a lease expires before it. */
  async #foresee(): Promise<void> {
    const { host, agents, pollMs } = this.#options;
    const nextMs = (await host.repository.nextDueInMs?.(agents)) ?? Infinity;
    this.#nextPollMs = Math.min(pollMs, Math.max(nextMs, minPollMs));
  }

  #onFreeSlot(): void {
    if (!this.#isMoreDue || this.#isClosed) return;
    this.#isMoreDue = false;
    // A search that is about to end has seen that there was no slot.
    const ended = this.#search ?? Promise.resolve();
    background(
      ended.then(() => this.#searchLater()),
      () => {},
    );
  }

  /** If the store fails, the next poll tries again. */
  #searchLater(onOver = (): void => {}): void {
    const search = this.claim().then(() => {
      this.#isFailing = false;
    });
    background(search.finally(onOver), (error) => {
      if (!this.#isFailing) this.#options.host.report({ error, where: "claim" });
      this.#isFailing = true;
    });
  }

  #pollLater(): void {
    const { host, pollMs, isSearching, onPoll } = this.#options;
    if (this.#isClosed || pollMs === Infinity) return;
    this.#cancelPoll = idleTimerOf(host.clock)(this.#nextPollMs, () => {
      this.#nextPollMs = pollMs;
      onPoll();
      if (isSearching) this.#searchLater(() => this.#pollLater());
      else this.#pollLater();
    });
  }
}
