/** Every default limit of agents and hosts. `docs/limits.md` is its table. `Infinity` switches a limit off. */

/** Steps of a turn; the closing step, which reports what was done, comes after them. */
export const defaultMaxSteps = 200;
/** Attempts of one step, the first included. */
export const defaultMaxAttempts = 3;
/** To the first part of an attempt. */
export const defaultFirstPartMs = 300_000;
/** Between two parts of a reply. */
export const defaultBetweenPartsMs = 120_000;
/** Since the last content of a reply: pings and token counts do not count. */
export const defaultContentMs = 120_000;
/** One whole attempt. */
export const defaultAttemptMs = 900_000;
/** One execution of a tool that states no `timeoutMs`. */
export const defaultToolMs = 600_000;
/** One call of an agent that is a tool of another. */
export const defaultNestedAgentMs = 1_800_000;
/** Any other callback that is waited for, the journal included. */
export const defaultCallbackMs = 30_000;
/** Characters of one reply, with what the provider sends along. */
export const defaultReplyChars = 33_554_432;
/** Tool calls of one reply. */
export const defaultReplyCalls = 512;
/** Replies in a row that the provider only paused. */
export const defaultPauses = 16;
/** Characters that one call of a tool shows while it runs. */
export const defaultLiveOutputChars = 1_048_576;

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

/** Tokens of a context window that is not known. */
export const assumedWindow = 32_000;
/** How long a server may take to tell a context window. */
export const findWindowMs = 3_000;
