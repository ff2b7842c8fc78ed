/** One run of a scenario: its faults, and its findings. */
import type { StoredEntry } from "@capstan/log";
import type { FinalState } from "./final-state.ts";
import type { CrashScenario } from "./scenario.ts";
import type { CrashViolation } from "./violation.ts";

/** `sync`: the store answers at once, as one in memory does. `async`: every answer takes a while. */
export type CrashMode = "sync" | "async";

/** Interaction of a process with the world: a call of the store, an outgoing event, an effect of a tool. */
export interface CrashPoint {
  readonly process: string;
  /** Counted per process, from 1. */
  readonly point: number;
  readonly what: string;
}

/** Moment of a process at which it may die: before the world sees an interaction, or after it. */
export interface CrashMoment extends Pick<CrashPoint, "process" | "point"> {
  readonly side: "before" | "after";
}

/**
 * `kill`: the process dies. `pause`: it stops past its lease. `fail`: the store reports that it is unavailable. `post`: the scenario's
 * interjection. Happens before the store, the reader or the world sees the interaction, or after, but before the process gets the answer.
 */
export interface CrashFault extends CrashMoment {
  readonly do: "kill" | "pause" | "fail" | "post";
}

/** A scenario with the faults to inject. */
export interface CrashRun {
  readonly scenario: CrashScenario;
  readonly mode: CrashMode;
  readonly faults: readonly CrashFault[];
  /** Seed for the order of the store's answers. Without it, they come in call order. */
  readonly order?: number;
}

/** Outcome of a run with crashes: what was violated, and the log at the end. */
export interface CrashReport {
  readonly violations: readonly CrashViolation[];
  /** All points passed until everything was at rest. */
  readonly points: readonly CrashPoint[];
  /** Moments of these points at which a death makes a difference: see `DistinctMoments`. */
  readonly moments: readonly CrashMoment[];
  /** Number of faults that occurred: a run may end before one of them. */
  readonly hits: number;
  readonly log: readonly StoredEntry[];
  readonly final: FinalState;
}
