/** The lease of one session while this process works on it: kept alive, and given up as soon as that fails. */
import type { Claim, Lease, SessionRepository } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import type { Clock } from "./clock.ts";

const lost = "lost";

export class Ownership {
  readonly lease: Lease;
  readonly #repository: SessionRepository;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #lost = new AbortController();
  #expiresAt: number;
  #cancelTimer: (() => void) | undefined;

  /** `askedAt` is when the lease was asked for: the store may have given it then, or later. */
  constructor(
    { lease }: Claim,
    repository: SessionRepository,
    clock: Clock,
    ttlMs: number,
    askedAt: number,
  ) {
    this.lease = lease;
    this.#repository = repository;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#expiresAt = askedAt + ttlMs;
    this.#renewLater();
  }

  /** Fires when the session is no longer ours. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Before an effect: throws if the lease is lost, or may be by the clock of this process. */
  check(): void {
    if (this.#clock.now() >= this.#expiresAt) this.lose();
    if (!this.#lost.signal.aborted) return;
    const { sessionId, epoch } = this.lease;
    const message = `Session "${sessionId}" may be another host's by now: the lease of epoch ${epoch} has run out or was lost. Follow the session, or acquire it again`;
    throw new RepositoryError("fenced", sessionId, message);
  }

  lose(): void {
    this.#cancelTimer?.();
    // A reason of our own: the one that is made otherwise takes a trace of the stack.
    this.#lost.abort(lost);
  }

  /** Gives the lease back. What was posted since the given seq was not seen by its holder. */
  async release(): Promise<{ readonly lastSeq: number } | undefined> {
    if (this.#lost.signal.aborted) return undefined;
    this.lose();
    try {
      return await this.#repository.release(this.lease);
    } catch {
      // It runs out by itself, and whoever finds the session due takes it over.
      return undefined;
    }
  }

  #renewLater(): void {
    this.#cancelTimer = this.#clock.timer(this.#ttlMs / 3, () => {
      this.#renew().catch(() => this.lose());
    });
  }

  async #renew(): Promise<void> {
    const askedAt = this.#clock.now();
    await this.#repository.renew(this.lease, this.#ttlMs);
    if (this.#lost.signal.aborted) return;
    this.#expiresAt = askedAt + this.#ttlMs;
    this.#renewLater();
  }
}
