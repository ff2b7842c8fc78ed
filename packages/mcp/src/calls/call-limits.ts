/** Limits of calls that wait, listed in `docs/limits.md`. */

/** How often a server may ask during one call, wrong answers included. */
export const maxRounds = 25;

/** How often a call that waits is sent again while its server cannot be reached, or postpones it. */
export const maxFailures = 12;

/** Characters of the state that a server may leave with a call: the log keeps it. */
export const maxRequestStateChars = 500_000;

/** The longest time that a timer takes: no limit. */
export const longestMs: number = 2 ** 31 - 1;

const firstRetryMs = 5_000;
const longestRetryMs = 300_000;

/** Delay before a call is sent again that failed this often. */
export function retryDelayMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
}

const firstPollMs = 1_000;
const longestPollMs = 60_000;
const longestIntervalMs = 3_600_000;

/** Delay before a task is asked for again, after this many polls without news. A server may ask for a longer one. */
export function pollDelayMs(polls: number, intervalMs = 0): number {
  const ownMs = Math.min(longestPollMs, firstPollMs * 2 ** polls);
  return Math.max(ownMs, Math.min(intervalMs, longestIntervalMs));
}
