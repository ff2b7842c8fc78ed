/** Why a model says that it stopped, in the kernel's words. */
import type { FinishReason } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";

/** What the model's vendor called it, where the AI SDK has no word for it: the reply is to be gone on with. */
const pauses: ReadonlySet<string> = new Set(["pause_turn", "compaction"]);

export interface StatedReason {
  /** `error` and `interrupted` are no replies. */
  readonly unified: string;
  readonly raw?: string;
}

/** Undefined if there is none. */
export function statedReason({ finishReason }: Fields): StatedReason | undefined {
  if (typeof finishReason === "string") return { unified: finishReason };
  const unified = isFields(finishReason) ? textIn(finishReason, "unified") : undefined;
  if (!isFields(finishReason) || unified === undefined) return undefined;
  const raw = textIn(finishReason, "raw");
  return { unified, ...(raw !== undefined && { raw }) };
}

/**
 * Whether the vendor never said why it stopped. The packages of the AI SDK end a stream that was cut in this way, and make calls of what
 * there is of their arguments.
 */
export function isUnstated({ unified, raw }: StatedReason): boolean {
  return raw === undefined && (unified === "other" || unified === "unknown");
}

export function toFinishReason({ unified, raw }: StatedReason): FinishReason {
  if (raw !== undefined && pauses.has(raw)) return "pause";
  if (unified !== "other") return unified;
  // Of the vendor's own words, those that fail an attempt in the kernel are only words.
  return raw === undefined || raw === "error" || raw === "aborted" ? unified : raw;
}
