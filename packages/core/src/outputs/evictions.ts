/** Which outputs of tools to leave out of the context: those of which only the last so many are wanted, and the oldest where all are too much. */
import type { OutputFold } from "@capstan/log";
import type { ResolvedLimits } from "./output-limits.ts";

/**
 * What is left of a total that was too large. Each eviction costs the vendor's cache everything behind the first output that goes: a few
 * large ones cost less than many small ones.
 */
const keptShare = 0.5;

/**
 * None as long as it is not worth it: an `ephemeral` tool is brought back to what it may keep when it has twice as many, and then all of them
 * are. Outputs from `freshFrom` on, which the model has not seen yet, stay.
 */
export function outputsToEvict(
  outputs: OutputFold,
  ephemeral: ReadonlyMap<string, number>,
  freshFrom: number,
  { maxTotalChars }: Pick<ResolvedLimits, "maxTotalChars">,
): readonly string[] {
  const isTooLarge = outputs.size > maxTotalChars;
  const isDue = isTooLarge || hasTwice(outputs, ephemeral);
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

function hasTwice(outputs: OutputFold, ephemeral: ReadonlyMap<string, number>): boolean {
  for (const [name, kept] of ephemeral) if (outputs.countOf(name) > 2 * kept) return true;
  return false;
}
