/** How long to wait before something is tried again. */

export interface RetryOptions {
  /** Before the second attempt; then twice as long each time. Default 250. */
  readonly baseDelayMs?: number;
  /** Default 10,000. */
  readonly maxDelayMs?: number;
  /** In a row, without a word from any server. Default 30, which is some three minutes. */
  readonly maxAttempts?: number;
}

/** Exponential, with the upper half left to chance, so that clients that lost the same server do not come back at once. */
export function delayBefore(
  attempt: number,
  { baseDelayMs = 250, maxDelayMs = 10_000 }: RetryOptions,
): number {
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + (ceiling / 2) * Math.random();
}

/** Timers take a longer time for 1 ms. */
export const longestTimerMs: number = 2 ** 31 - 1;

interface Page {
  addEventListener?(type: "online", listener: () => void): void;
  removeEventListener?(type: "online", listener: () => void): void;
}

/** Resolves after this time, when the signal fires, or when a browser says that it is online again. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // A browser has these; Node has not.
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
