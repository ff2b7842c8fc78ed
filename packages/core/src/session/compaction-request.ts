/** Requests a compaction and returns its result. */
import type { Usage } from "@capstan/kernel";
import type { CompactionOutcome } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { SessionError, invalid, taken } from "../errors/session-error.ts";
import type { SessionInbox } from "./session-inbox.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";

/** Options of `session.compact`. */
export interface CompactOptions {
  /** Instructions for the summary, in addition to those of the agent. */
  readonly directives?: string;
  readonly id?: string;
}

/** Outcome of a compaction: the tokens of the context before and after, and what the summary cost. */
export interface CompactionResult {
  /** False if there was nothing to summarize, or the summary was not shorter: the context is unchanged. */
  readonly isCompacted: boolean;
  /** Tokens of the context before. */
  readonly before: number;
  /** Estimated tokens of the context after. */
  readonly after: number;
  readonly usage?: Usage;
  readonly cost?: number;
}

/** Throws if the agent has compaction switched off. */
export function mustBeCompactable({ isCompactable, name }: Agent): void {
  if (isCompactable) return;
  throw invalid(
    `The agent "${name}" has compaction: false: use compaction: { auto: false } to compact only on request`,
  );
}

/** Resolves once the compaction is done, in whichever process. Throws a `SessionError` if there is no summary. */
export async function askForCompaction(
  id: string,
  directives: string | undefined,
  inbox: SessionInbox,
  runtime: SessionRuntime,
): Promise<CompactionResult> {
  const body = { type: "compact", ...(directives !== undefined && { directives }) } as const;
  await inbox.post(id, body);
  const { compactions } = inbox.fold;
  if (!compactions.isWaiting(id) && compactions.outcomeOf(id) === undefined) throw taken(id);
  const { outcome } = runtime.waiting.compactions.of(id);
  runtime.wake();
  return toCompactionResult(runtime.id, await outcome);
}

function toCompactionResult(sessionId: string, outcome: CompactionOutcome): CompactionResult {
  switch (outcome.type) {
    case "compacted": {
      const { type: _, ...counts } = outcome;
      return { isCompacted: true, ...counts };
    }
    case "nothing": {
      const { type: _, ...counts } = outcome;
      return { isCompacted: false, ...counts, after: outcome.before };
    }
    case "failed":
    case "aborted": {
      const { error } = outcome;
      const why = error?.message ?? "it was aborted";
      const message = `Cannot compact the context of session ${sessionId}, which stays unchanged: ${why}. Retry, or compact with another model`;
      throw new SessionError("compaction_failed", message, {
        sessionId,
        ...(error && { turnError: error }),
      });
    }
    default:
      return outcome satisfies never;
  }
}
