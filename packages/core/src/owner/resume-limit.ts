/** Limits the resumes of a turn that makes no progress: each waits longer than the one before, runs alone, and the last is refused. */
import type { SerializedError } from "@capstan/kernel";
import type { Clock } from "../platform/clock.ts";
import { resumeDelayMs } from "../platform/limits.ts";
import type { AbortSwitch } from "./abort-switch.ts";
import { turnFailure } from "./end-in-error.ts";
import type { Solitary } from "./solitary.ts";

export interface ResumeLimitOptions {
  readonly clock: Clock;
  /** Number of times a turn that makes no progress is resumed. */
  readonly maxResumes: number;
  /** For turns that were resumed repeatedly without progress. */
  readonly solitary: Solitary;
  readonly work: PausedWork;
}

interface PausedWork {
  /** Called when the work pauses, and when it continues. */
  pause(isPaused: boolean): void;
}

export class ResumeLimit {
  readonly #options: ResumeLimitOptions;
  /** Set while the turn runs as the only suspect of its host. */
  #leaveSolitary: (() => void) | undefined;

  constructor(options: ResumeLimitOptions) {
    this.#options = options;
  }

  /** Error of a turn that was resumed too often; undefined if it may be resumed. */
  errorAfter(resumes: number): SerializedError | undefined {
    if (resumes < this.#options.maxResumes) return undefined;
    const why = `The turn was resumed ${resumes} times without progress: its process ended each time, or lost its lease`;
    return turnFailure("resume_limit", why);
  }

  /** Waits until the turn may be resumed, or is aborted. Undefined if it may be resumed at once. */
  wait(resumes: number, abort: AbortSwitch): Promise<void> | undefined {
    const delayMs = resumeDelayMs(resumes);
    return delayMs === 0 ? undefined : this.#wait(delayMs, abort);
  }

  async #wait(delayMs: number, abort: AbortSwitch): Promise<void> {
    const { clock, solitary, work } = this.#options;
    work.pause(true);
    await pause(clock.timer, delayMs, abort);
    // A turn that was aborted ends without running.
    if (!abort.aborted) this.#leaveSolitary = await solitary.enter(abort);
    work.pause(false);
  }

  /** A turn that made progress is no suspect any more. */
  onProgress(resumes: number | undefined): void {
    if (resumes === 0) this.#leaveSolitary?.();
  }

  /** The turn is over, or left to another host. */
  leave(): void {
    this.#leaveSolitary?.();
    this.#leaveSolitary = undefined;
  }
}

/** Waits, unless aborted. */
function pause(timer: Clock["timer"], ms: number, abort: AbortSwitch): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timer(ms, resolve);
    abort.addEventListener("abort", () => {
      cancel();
      resolve();
    });
  });
}
