/** What a bench is: work for child processes, and the parent's way from their answers to figures. */
import type { Subject } from "./subject.ts";

/** What one child process repeats. */
export interface Workload {
  /** Per run. CPU time is divided by the units; the warm-up counts the turns. */
  readonly units: number;
  readonly turns: number;
  readonly minWarmUpTurns: number;
  /** Does the work once and fails if any turn of it was not as it should be. */
  run(): Promise<void>;
  /** Looks, off the clock, whether a round left everything as it found it. */
  verify?(): void;
  /** Other figures than time, by name. */
  readonly probes?: Readonly<Record<string, () => Promise<number>>>;
}

export interface Pace {
  readonly rounds: number;
  readonly warmUpMs: number;
  /** Ends a warm-up that has not had its turns yet. Default: none. Slow subjects would warm up for many minutes. */
  readonly maxWarmUpMs?: number;
  readonly roundMs: number;
  /** How often a probe is asked. */
  readonly probes: number;
  /** How often a program is started for the time its imports take. */
  readonly starts: number;
}

/** CPU microseconds for a unit, compared with something; or any other number, called a metric. */
export type Figure =
  | {
      readonly bench: string;
      readonly subject: string;
      readonly perUnit: number;
      readonly ratio: number;
      readonly base: string;
      readonly goal?: number;
      readonly met?: boolean;
    }
  | {
      readonly bench: string;
      readonly subject: string;
      readonly metric: string;
      readonly value: number;
      readonly goal?: number;
      readonly met?: boolean;
    };

export interface Bench {
  readonly name: string;
  readonly what: string;
  /** What `perUnit` is the time of. */
  readonly unit?: string;
  /** Run in child processes, one for each subject and workload. */
  readonly workloads: Readonly<Record<string, (subject: Subject) => Promise<Workload>>>;
  /** Whom it measures; default: who runs turns. */
  isFor?(subject: Subject): boolean;
  /** Run in the parent. */
  measure(subjects: readonly Subject[], pace: Pace): Promise<Figure[]>;
}

export const floorGen = "floor-gen";

/** Puts the goal of the subject beside a figure, if it has one. */
export function judge(
  subject: Subject,
  bench: string,
  metric: string,
  value: number,
): { readonly goal?: number; readonly met?: boolean } {
  const goal = subject.goals[bench]?.[metric];
  return goal === undefined ? {} : { goal, met: value <= goal };
}
