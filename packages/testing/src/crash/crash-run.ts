/** One run of a scenario: what happens to it, and what was found. */
import type { StoredEntry } from "@capstan/log";
import type { FinalState } from "./final-state.ts";
import type { CrashScenario } from "./scenario.ts";
import type { CrashViolation } from "./violation.ts";

/** `sync`: the store answers at once, as one in memory does. `async`: every answer takes a while. */
export type CrashMode = "sync" | "async";

/** A place where a process touches the world: a call of the store, an event on its way out, an effect of a tool. */
export interface CrashPoint {
  readonly process: string;
  /** Counted for each process, from 1 on. */
  readonly point: number;
  readonly what: string;
}

/**
 * `kill`: the process is gone. `pause`: it stands still past its lease. `fail`: the store says that it is not available. `post`: the
 * scenario's interjection. Before the store, the reader or the world has heard of what is done there, or after, but before the
 * process knows.
 */
export interface CrashFault {
  readonly process: string;
  readonly point: number;
  readonly side: "before" | "after";
  readonly do: "kill" | "pause" | "fail" | "post";
}

export interface CrashRun {
  readonly scenario: CrashScenario;
  readonly mode: CrashMode;
  readonly faults: readonly CrashFault[];
  /** Answers of the store come in an order made from this number. Without it, in the order of their calls. */
  readonly order?: number;
}

export interface CrashReport {
  readonly violations: readonly CrashViolation[];
  /** All that were passed until everything was at rest. */
  readonly points: readonly CrashPoint[];
  /** The faults that came to pass: a run may end before one of them. */
  readonly hits: number;
  readonly log: readonly StoredEntry[];
  readonly final: FinalState;
}
