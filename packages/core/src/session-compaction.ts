/** What may be asked of a compaction, and what came of it. */
import type { Usage } from "@capstan/kernel";
import type { CompactionOutcome } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import { SessionError, invalid } from "./session-error.ts";

export interface CompactOptions {
  /** What the summary has to heed, besides what the agent says. */
  readonly directives?: string;
  readonly id?: string;
}

export interface CompactionResult {
  /** False where there was nothing to be summarized: all is as it was. */
  readonly isCompacted: boolean;
  /** Tokens of the context. */
  readonly before: number;
  /** As it is estimated. */
  readonly after: number;
  readonly usage?: Usage;
  readonly cost?: number;
}

/** Throws where the agent has switched it off. */
export function mustBeCompactable({ isCompactable, name }: Agent): void {
  if (isCompactable) return;
  throw invalid(
    `The agent "${name}" has compaction: false: give it compaction: { auto: false } to compact only when asked to`,
  );
}

/** Throws a `SessionError` where there is no summary. */
export function toCompactionResult(
  sessionId: string,
  outcome: CompactionOutcome,
): CompactionResult {
  switch (outcome.type) {
    case "compacted": {
      const { type: _, ...counts } = outcome;
      return { isCompacted: true, ...counts };
    }
    case "nothing":
      return { isCompacted: false, before: outcome.before, after: outcome.before };
    case "failed":
    case "aborted": {
      const { error } = outcome;
      const why = error?.message ?? "it was stopped";
      const message = `The context of session ${sessionId} could not be compacted, and stays as it is: ${why}. Ask again, or compact with another model`;
      throw new SessionError("compaction_failed", message, {
        sessionId,
        ...(error && { turnError: error }),
      });
    }
    default:
      return outcome satisfies never;
  }
}
