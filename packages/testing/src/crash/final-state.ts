/** What a run came to, without what may differ between two runs: ids, times, usage. */
import type { ChatMessage } from "@capstan/kernel";
import { isDeepStrictEqual } from "node:util";
import { textOf } from "./scripted-model.ts";
import type { World } from "./world.ts";

export interface FinalState {
  readonly status: string;
  readonly messages: readonly string[];
  /** How the turns ended, without those that were only suspended: whether an answer comes in time is a matter of luck. */
  readonly ends: readonly string[];
  readonly queued: readonly string[];
  readonly pending: readonly string[];
}

export function finalStateOf({ fold, entries }: World): FinalState {
  return {
    status: fold.status,
    messages: fold.transcript.messages.map(describe),
    ends: entries.flatMap((entry) =>
      entry.type === "turn_ended" && entry.pending === undefined ? [entry.finishReason] : [],
    ),
    queued: fold.queues.items.map(({ queue, message }) => `${queue}: ${textOf(message)}`),
    pending: fold.pending.map(({ kind, toolName }) => `${kind} ${toolName}`),
  };
}

/** The first difference, in words; undefined if there is none. */
export function differenceOf(expected: FinalState, actual: FinalState): string | undefined {
  for (const field of ["status", "ends", "messages", "queued", "pending"] as const) {
    if (isDeepStrictEqual(expected[field], actual[field])) continue;
    return `${field}: ${JSON.stringify(actual[field])} and not ${JSON.stringify(expected[field])}`;
  }
  return undefined;
}

function describe(message: ChatMessage): string {
  const { role } = message;
  const mark = role === "tool" && message.isError ? " (error)" : "";
  const stop = role === "assistant" ? ` [${message.stopReason}]` : "";
  return `${role}${mark}${stop}: ${textOf(message)}`;
}
