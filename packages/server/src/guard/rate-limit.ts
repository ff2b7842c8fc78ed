/** How many requests a principal may send: as many at once as in a minute, and then as they are refilled. */
import { ServerError } from "./server-error.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** More principals than that are not remembered: the one that was quiet for longest starts anew. */
const maxBuckets = 10_000;

export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** The one that asked last comes last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one. Fails with `rate_limited`. */
  take(principal: string): void {
    const now = this.#now();
    const { tokens, at } = this.#buckets.get(principal) ?? { tokens: this.#perMinute, at: now };
    const perMs = this.#perMinute / 60_000;
    const filled = Math.min(this.#perMinute, tokens + Math.max(0, now - at) * perMs);
    this.#buckets.delete(principal);
    this.#buckets.set(principal, { tokens: Math.max(0, filled - 1), at: now });
    this.#forgetOldest();
    if (filled >= 1) return;
    const seconds = Math.max(1, Math.ceil((1 - filled) / perMs / 1_000));
    throw new ServerError(
      "rate_limited",
      `More than ${this.#perMinute} requests a minute: try again in ${seconds} s`,
      { headers: { "retry-after": String(seconds) } },
    );
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= maxBuckets) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
