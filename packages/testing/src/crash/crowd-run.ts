/** One run of a crowd: which sessions there are, and what was seen of them. */
import type { SessionRepository } from "@capstan/log";

/**
 * `healthy` sessions end when they are resumed. The model of a `fatal` one ends the process that asks it. The reply to an `unrecordable` one
 * is refused by the store, and of a `refused` one every entry.
 */
export type CrowdKind = "healthy" | "fatal" | "unrecordable" | "refused";

export interface CrowdRun {
  /** How many there are of each; those that are broken are the older ones. */
  readonly sessions: Partial<Readonly<Record<CrowdKind, number>>>;
  readonly hosts: number;
  /** Slots of each host. */
  readonly maxTurns: number;
  /** How long a healthy turn takes. */
  readonly turnMs: number;
  /** Answers of the store come in an order made from this number. Without it, in the order of their calls. */
  readonly order?: number;
}

/** Something that happened to a session, and when. */
export interface CrowdFact {
  readonly sessionId: string;
  readonly at: number;
}

/** State of a crowd at rest. */
export interface CrowdRecord {
  readonly run: CrowdRun;
  readonly store: SessionRepository;
  readonly ids: ReadonlyMap<string, CrowdKind>;
  /** In the order in which the hosts were given them. */
  readonly claims: readonly CrowdFact[];
  /** Requests to models, after the first process was gone. */
  readonly requests: readonly CrowdFact[];
  /** When a model had said all that it had to say. */
  readonly replies: readonly CrowdFact[];
  /** How often a process ended. */
  readonly deaths: number;
  readonly isAtRest: boolean;
}

export const crowdTimes = { leaseMs: 2_400, pollMs: 700, restartMs: 200 } as const;
