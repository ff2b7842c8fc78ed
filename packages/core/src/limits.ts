/** Defaults of the limits of hosts. */

/** Turns that a host works on at once, of sessions that it has claimed by itself. */
export const defaultMaxTurns = 1_000;

/** Resumes of a turn, one after the other, without a message or a result in between. */
export const defaultMaxResumes = 8;

/** Resumes without a wait before them. */
const promptResumes = 2;
const firstResumeMs = 1_000;
const longestResumeMs = 60_000;

/** How long to wait before a turn is resumed that was resumed so often without getting further. */
export function resumeDelayMs(resumes: number): number {
  if (resumes < promptResumes) return 0;
  return Math.min(longestResumeMs, firstResumeMs * 2 ** (resumes - promptResumes));
}
