/** The lease of one session while this process works on it: kept alive, and given up as soon as that fails. */
import { background } from "@capstan/kernel";
import type { Claim, Lease, MaybePromise } from "@capstan/log";
import { isRepositoryError, orElse, RepositoryError } from "@capstan/log";
import type { Renewable } from "./renewals.ts";
import type { SessionHost } from "../session/session-host.ts";
import { within } from "../platform/within.ts";

type LeaseHost = Pick<SessionHost, "repository" | "clock" | "leaseMs" | "renewals">;

/** An object and not a function, which would keep the memory of its session from being freed soon. */
export interface LeaseHolder {
  /** Called once, when the session is no longer ours. */
  onLost(): void;
}

export class HeldLease implements Renewable {
  readonly lease: Lease;
  readonly #host: LeaseHost;
  #isLost = false;
  holder: LeaseHolder | undefined;
  #expiresAt: number;
  #confirming: Promise<void> | undefined;

  /** `askedAt` is when the lease was asked for: the store may have given it then, or later. */
  constructor({ lease }: Claim, host: LeaseHost, askedAt: number) {
    this.lease = lease;
    this.#host = host;
    this.#expiresAt = askedAt + host.leaseMs;
    host.renewals.add(this);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Makes sure of the lease before `check`, where something can be waited for: a process that slept past its end asks the store, which renews it
   * if no other host has taken the session. Undefined if there is nothing to wait for. Rejects as `renew` of the store does; then the lease is lost.
   */
  confirm(now: number): Promise<void> | undefined {
    if (this.#isLost || now < this.#expiresAt) return undefined;
    const { clock, leaseMs } = this.#host;
    // A store that does not answer keeps nothing else waiting for longer.
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

  /** Before an effect: throws if the lease is lost, or may be by the clock of this process. */
  check(now: number): void {
    if (now >= this.#expiresAt) this.lose();
    if (!this.#isLost) return;
    const { sessionId, epoch } = this.lease;
    const message = `Session "${sessionId}" may be another host's by now: the lease of epoch ${epoch} has run out or was lost. Follow the session, or acquire it again`;
    throw new RepositoryError("fenced", sessionId, message);
  }

  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#host.renewals.remove(this);
    this.holder?.onLost();
  }

  /** Gives the lease back. What was posted since the given seq was not seen by its holder. */
  release(): MaybePromise<{ readonly lastSeq: number } | undefined> {
    if (this.#isLost) return undefined;
    this.lose();
    // It runs out by itself, and whoever finds the session due takes it over.
    return orElse<{ readonly lastSeq: number } | undefined>(
      () => this.#host.repository.release(this.lease),
      () => undefined,
    );
  }

  renew(): void {
    background(this.#renew(), (thrown) => {
      // A store that is away now may be back in time.
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
