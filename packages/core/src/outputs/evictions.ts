/** Selects tool outputs to evict from the context: old ones of ephemeral tools, and the oldest if the total is too large. */
import type { OutputFold } from "@capstan/log";
import type { ResolvedLimits } from "./output-limits.ts";

/**
 * Share of the limit to keep when the total is too large. Each eviction invalidates the vendor's cache after the first evicted output, so a few
 * large evictions cost less than many small ones.
 */
const keptShare = 0.5;

/**
 * Returns none while it is not worth it: when an `ephemeral` tool has twice as many outputs as it may keep, all such tools are cut back. A tool
 * that keeps one is exact, because of its outputs only the newest is true. Outputs from `freshFrom` on, which the model has not seen yet, stay.
 */
export function outputsToEvict(
  outputs: OutputFold,
  ephemeral: ReadonlyMap<string, number>,
  freshFrom: number,
  { maxTotalChars }: Pick<ResolvedLimits, "maxTotalChars">,
): readonly string[] {
  const isTooLarge = outputs.size > maxTotalChars;
  const isDue = isTooLarge || hasTooMany(outputs, ephemeral);
  if (!isDue) return [];
  const seen = outputs.shown.filter(({ index }) => index < freshFrom);
  const evicted = new Set<string>();
  for (const [name, kept] of ephemeral) {
    const own = seen.filter(({ toolName }) => toolName === name);
    const surplus = Math.max(0, outputs.countOf(name) - kept);
    for (const { toolCallId } of own.slice(0, surplus)) evicted.add(toolCallId);
  }
  if (!isTooLarge) return Array.from(evicted);
  let left = outputs.shown.reduce(
    (sum, { toolCallId, size }) => sum + (evicted.has(toolCallId) ? 0 : size),
    0,
  );
  for (const { toolCallId, size } of seen) {
    if (left <= maxTotalChars * keptShare) break;
    if (size === 0 || evicted.has(toolCallId)) continue;
    evicted.add(toolCallId);
    left -= size;
  }
  return Array.from(evicted);
}

function hasTooMany(outputs: OutputFold, ephemeral: ReadonlyMap<string, number>): boolean {
  for (const [name, kept] of ephemeral) {
    if (outputs.countOf(name) > (kept === 1 ? 1 : 2 * kept)) return true;
  }
  return false;
}
