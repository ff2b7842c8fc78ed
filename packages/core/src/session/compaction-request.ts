/** How a compaction is asked for, and what came of it. */
import type { Usage } from "@capstan/kernel";
import type { CompactionOutcome } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { SessionError, invalid, taken } from "../errors/session-error.ts";
import type { SessionInbox } from "./session-inbox.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";

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

/** Resolves when it is done, in whichever process that is. Throws a `SessionError` where there is no summary. */
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
  const { outcome } = runtime.compactions.of(id);
  runtime.wake();
  return toCompactionResult(runtime.id, await outcome);
}

function toCompactionResult(sessionId: string, outcome: CompactionOutcome): CompactionResult {
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
