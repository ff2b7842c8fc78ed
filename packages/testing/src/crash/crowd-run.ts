/** One run of a crowd: its sessions, and what was observed. */
import type { SessionRepository } from "@capstan/log";

/**
 * `healthy` sessions end when they are resumed. The model of a `fatal` one kills the process that calls it. The store refuses the reply to
 * an `unrecordable` one, and every entry of a `refused` one.
 */
export type CrowdKind = "healthy" | "fatal" | "unrecordable" | "refused";

/** Many sessions on several hosts. */
export interface CrowdRun {
  /** Number of sessions of each kind; broken ones are older. */
  readonly sessions: Partial<Readonly<Record<CrowdKind, number>>>;
  readonly hosts: number;
  /** Slots of each host. */
  readonly maxTurns: number;
  /** Duration of a healthy turn. */
  readonly turnMs: number;
  /** Seed for the order of the store's answers. Without it, they come in call order. */
  readonly order?: number;
}

/** Event of a session, with its time. */
export interface CrowdFact {
  readonly sessionId: string;
  readonly at: number;
}

/** State of a crowd at rest. */
export interface CrowdRecord {
  readonly run: CrowdRun;
  readonly store: SessionRepository;
  readonly ids: ReadonlyMap<string, CrowdKind>;
  /** In the order in which the hosts got them. */
  readonly claims: readonly CrowdFact[];
  /** Requests to models after the first process died. */
  readonly requests: readonly CrowdFact[];
  /** Times at which a model finished its reply. */
  readonly replies: readonly CrowdFact[];
  /** How often a process died. */
  readonly deaths: number;
  readonly isAtRest: boolean;
}

export const crowdTimes = { leaseMs: 2_400, pollMs: 700, restartMs: 200 } as const;
