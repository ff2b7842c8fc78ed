/** Delays between attempts. */

export interface RetryOptions {
  /** Delay before the second attempt; doubled each time. Default 250. */
  readonly baseDelayMs?: number;
  /** Default 10,000. */
  readonly maxDelayMs?: number;
  /** Failed attempts in a row before giving up. Default 30, about three minutes. */
  readonly maxAttempts?: number;
}

/** Exponential back-off with jitter in the upper half, so that clients of one server do not all reconnect at once. */
export function delayBefore(
  attempt: number,
  { baseDelayMs = 250, maxDelayMs = 10_000 }: RetryOptions,
): number {
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + (ceiling / 2) * Math.random();
}

/** Longest delay of a timer: more than this fires after 1 ms. */
export const longestTimerMs: number = 2 ** 31 - 1;

interface Page {
  addEventListener?(type: "online", listener: () => void): void;
  removeEventListener?(type: "online", listener: () => void): void;
}

/** Resolves after this time, when the signal fires, or when a browser is online again. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // Browsers have these methods, Node does not.
  const page = globalThis as unknown as Page;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      page.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    signal.addEventListener("abort", end);
    page.addEventListener?.("online", end);
  });
}
