/** All default limits of agents and hosts, listed in `docs/limits.md`. `Infinity` switches a limit off. */

/** Steps of a turn; the closing step, which reports what was done, comes after them. */
export const defaultMaxSteps = 200;
/** Attempts of one step, the first included. */
export const defaultMaxAttempts = 3;
/** Time to the first part of an attempt. */
export const defaultFirstPartMs = 300_000;
/** Time between two parts of a reply. */
export const defaultBetweenPartsMs = 120_000;
/** Time since the last content of a reply: pings and token counts do not count. */
export const defaultContentMs = 120_000;
/** Time of one whole attempt. */
export const defaultAttemptMs = 900_000;
/** Time of one execution of a tool that states no `timeoutMs`. */
export const defaultToolMs = 600_000;
/** Time of one call of an agent that is a tool of another. */
export const defaultNestedAgentMs = 1_800_000;
/** Levels of child sessions below a session. */
export const defaultMaxDepth = 5;
/** Child sessions of one session, over its whole life. */
export const defaultMaxChildren = 1_000;
/** Time of any other awaited callback, including the journal. */
export const defaultCallbackMs = 30_000;
/** Characters of one reply, including provider data. */
export const defaultReplyChars = 33_554_432;
/** Tool calls of one reply. */
export const defaultReplyCalls = 512;
/** Consecutive replies that the provider only paused. */
export const defaultPauses = 16;
/** Characters that one call of a tool shows while it runs. */
export const defaultLiveOutputChars = 1_048_576;

/** Concurrent turns of sessions that a host has claimed by itself. */
export const defaultMaxTurns = 1_000;

/** Consecutive resumes of a turn without a message or a result in between. */
export const defaultMaxResumes = 8;

/** Resumes without a delay. */
const promptResumes = 2;
const firstResumeMs = 1_000;
const longestResumeMs = 60_000;

/** Delay before resuming a turn that was resumed this often without progress. */
export function resumeDelayMs(resumes: number): number {
  if (resumes < promptResumes) return 0;
  return Math.min(longestResumeMs, firstResumeMs * 2 ** (resumes - promptResumes));
}

/** Assumed size of an unknown context window, in tokens. */
export const assumedWindow = 32_000;
/** How long a server may take to report a context window. */
export const findWindowMs = 3_000;

/** Entries after which a checkpoint is recorded: about a page of a log. */
export const defaultCheckpointAfter = 256;
