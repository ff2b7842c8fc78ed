/** The lease of one session while this process works on it: renewed in time, and given up as soon as that fails. */
import { background } from "@capstan/kernel";
import type { Claim, Lease, MaybePromise } from "@capstan/log";
import { isRepositoryError, orElse, RepositoryError } from "@capstan/log";
import type { Renewable, Renewal } from "./renewals.ts";
import type { SessionHost } from "../session/session-host.ts";
import { within } from "../platform/within.ts";

type LeaseHost = Pick<SessionHost, "repository" | "clock" | "leaseMs" | "renewals">;

/** An object and not a function: a closure would delay freeing the memory of its session. */
export interface LeaseHolder {
  /** Called once, when this process loses the session. */
  onLost(): void;
  /** Called when the lease should be released before the next effect. */
  onLeaving(): void;
}

export class HeldLease implements Renewable {
  readonly #host: LeaseHost;
  #lease: Lease | undefined;
  #renewal: Renewal | undefined;
  #isLost = false;
  #isLeaving = false;
  #released: { readonly lastSeq: number } | undefined;
  holder: LeaseHolder | undefined;
  #expiresAt = Infinity;
  #confirming: Promise<void> | undefined;

  /** Without a claim, the lease is still to be given: see `take`. */
  constructor(claim: Claim | undefined, host: LeaseHost, askedAt: number) {
    this.#host = host;
    if (claim !== undefined) this.take(claim, askedAt);
  }

  /** Takes the lease, unless it was given up before it came. `askedAt` is when it was requested: the store may have granted it then, or later. */
  take({ lease }: Claim, askedAt: number): void {
    this.#lease = lease;
    if (this.#isLost) return;
    this.#expiresAt = askedAt + this.#host.leaseMs;
    this.#renewal = this.#host.renewals.add(this);
  }

  get lease(): Lease {
    if (this.#lease !== undefined) return this.#lease;
    throw new RepositoryError("fenced", "", "The lease was not given");
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Confirms the lease before `check`, for callers that can wait: a process that slept past the expiry asks the store, which renews the
   * lease if no other host has taken the session. Undefined if there is nothing to wait for. Rejects like the store's `renew`; then the
   * lease is lost.
   */
  confirm(now: number): Promise<void> | undefined {
    if (this.#isLost || now < this.#expiresAt) return undefined;
    const { clock, leaseMs } = this.#host;
    // A store that does not respond blocks nothing else for longer.
    this.#confirming ??= within(clock.timer, leaseMs, this.#renew(), "renew")
      .catch((thrown: unknown) => {
        this.lose();
        throw thrown;
      })
      .finally(() => {
        this.#confirming = undefined;
      });
    return this.#confirming;
  }

  /** Before an effect: throws if the lease is lost, or has expired by the clock of this process. */
  check(now: number): void {
    if (now >= this.#expiresAt) this.lose();
    if (!this.#isLost) return;
    const { sessionId, epoch } = this.lease;
    const message = `Session "${sessionId}" may belong to another host by now: the lease of epoch ${epoch} has expired or was lost. Follow the session, or acquire it again`;
    throw new RepositoryError("fenced", sessionId, message);
  }

  /** Whether the holder has to release the lease before its next effect, with everything recorded that has happened. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.holder?.onLeaving();
  }

  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#endRenewal();
    this.holder?.onLost();
  }

  /** Whether the lease was released together with the last append. */
  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  /** Called if the store has released the lease together with an append. */
  onReleased(lastSeq: number): void {
    this.#released = { lastSeq };
    this.#isLost = true;
    this.#endRenewal();
  }

  #endRenewal(): void {
    if (this.#renewal !== undefined) this.#host.renewals.remove(this.#renewal);
  }

  /** Releases the lease. The holder has not seen entries that were posted after the returned seq. */
  release(): MaybePromise<{ readonly lastSeq: number } | undefined> {
    if (this.#isLost) return this.#released;
    this.lose();
    const lease = this.#lease;
    if (lease === undefined) return undefined;
    // On failure the lease expires, and a host that finds the session due takes it over.
    return orElse<{ readonly lastSeq: number } | undefined>(
      () => this.#host.repository.release(lease),
      () => undefined,
    );
  }

  renew(): void {
    background(this.#renew(), (thrown) => {
      // A store that is unavailable now may recover in time.
      const isAway = isRepositoryError(thrown) && thrown.code === "unavailable";
      if (!isAway) this.lose();
    });
  }

  async #renew(): Promise<void> {
    const { repository, clock, leaseMs } = this.#host;
    const askedAt = clock.now();
    await repository.renew(this.lease, leaseMs);
    if (!this.#isLost) this.#expiresAt = askedAt + leaseMs;
  }
}
