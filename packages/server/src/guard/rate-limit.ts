/** Limits the requests of a principal: a burst of one minute's worth, refilled continuously. */
import { ServerError } from "./server-error.ts";

interface Bucket {
  tokens: number;
  at: number;
}

/** Maximum number of principals remembered: beyond it the least recent one starts anew. */
const maxBuckets = 10_000;

export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Ordered by last request, the most recent last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one request. Fails with `rate_limited`. */
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
      `Rate limit of ${this.#perMinute} requests per minute exceeded: retry in ${seconds} s`,
      { headers: { "retry-after": String(seconds) } },
    );
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= maxBuckets) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
