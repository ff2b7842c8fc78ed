/** Maps the model's finish reasons to the kernel's. */
import type { FinishReason } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";

/** Vendors' reasons for a pause, which the AI SDK has no word for: the reply is to be continued. */
const pauses: ReadonlySet<string> = new Set(["pause_turn", "compaction"]);

export interface StatedReason {
  /** `error` and `interrupted` mean that there is no usable reply. */
  readonly unified: string;
  readonly raw?: string;
}

/** Returns undefined if the part has no finish reason. */
export function statedReason({ finishReason }: Fields): StatedReason | undefined {
  if (typeof finishReason === "string") return { unified: finishReason };
  const unified = isFields(finishReason) ? textIn(finishReason, "unified") : undefined;
  if (!isFields(finishReason) || unified === undefined) return undefined;
  const raw = textIn(finishReason, "raw");
  return { unified, ...(raw !== undefined && { raw }) };
}

/**
 * Whether the vendor gave no reason. AI SDK packages report a stream that was cut off in this way, and build calls from the incomplete
 * arguments.
 */
export function isUnstated({ unified, raw }: StatedReason): boolean {
  return raw === undefined && (unified === "other" || unified === "unknown");
}

export function toFinishReason({ unified, raw }: StatedReason): FinishReason {
  if (raw !== undefined && pauses.has(raw)) return "pause";
  if (unified !== "other") return unified;
  // A vendor's raw reason must not be one of the words that fail an attempt in the kernel.
  return raw === undefined || raw === "error" || raw === "aborted" ? unified : raw;
}
