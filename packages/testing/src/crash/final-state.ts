/** Final state of a run, without facts that may differ between two runs: ids, times, usage. */
import type { ChatMessage } from "@capstan/kernel";
import type { SessionConfig } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import { textOf } from "./scripted-model.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

interface SessionEnd {
  readonly status: string;
  readonly messages: readonly string[];
  /** How the turns ended, without suspended ones: whether an answer comes in time varies. */
  readonly ends: readonly string[];
  readonly queued: readonly string[];
  readonly pending: readonly string[];
  readonly config: SessionConfig;
}

/** State of a session and its forks at the end of a run. */
export interface FinalState extends SessionEnd {
  /** By the client's names for them. */
  readonly forks: Readonly<Record<string, SessionEnd>>;
}

export function finalStateOf({ main, forks }: World): FinalState {
  const ends = [...forks].map(([name, fork]) => [name, endOf(fork)] as const);
  return { ...endOf(main), forks: Object.fromEntries(ends) };
}

function endOf({ fold, entries }: WatchedSession): SessionEnd {
  return {
    status: fold.status,
    messages: fold.transcript.messages.map(describe),
    ends: entries.flatMap((entry) =>
      entry.type === "turn_ended" && entry.pending === undefined ? [entry.finishReason] : [],
    ),
    queued: fold.queues.items.map(({ queue, message }) => `${queue}: ${textOf(message)}`),
    pending: fold.pending.map(({ kind, toolName }) => `${kind} ${toolName}`),
    config: fold.config,
  };
}

/** Describes the first difference; undefined if there is none. Skips forks if they may differ. */
export function differenceOf(
  expected: FinalState,
  actual: FinalState,
  forksMayDiffer: boolean,
): string | undefined {
  const fields = ["status", "ends", "messages", "queued", "pending", "config"] as const;
  for (const field of forksMayDiffer ? fields : ([...fields, "forks"] as const)) {
    if (isDeepStrictEqual(expected[field], actual[field])) continue;
    return `${field}: ${JSON.stringify(actual[field])}, not ${JSON.stringify(expected[field])}`;
  }
  return undefined;
}

function describe(message: ChatMessage): string {
  const { role } = message;
  const mark = role === "tool" && message.isError ? " (error)" : "";
  const stop = role === "assistant" ? ` [${message.stopReason}]` : "";
  return `${role}${mark}${stop}: ${textOf(message)}`;
}
