/** Arithmetic on token counts in which unknown never becomes zero. */
import type { Usage } from "./contracts/conversation.ts";
import type { Draft } from "./draft.ts";

const counts = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "unreportedAttempts",
] as const;

/** The sum of two totals: a count is absent only where both are. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Draft<Usage> = {};
  for (const key of counts) {
    const left = a[key];
    const right = b[key];
    if (left !== undefined) sum[key] = right === undefined ? left : left + right;
    else if (right !== undefined) sum[key] = right;
  }
  return sum;
}

/** Later counts in place of earlier ones. What is not a count is not taken over. */
export function replaceUsage(earlier: Usage | undefined, later: Usage): Usage {
  const usage: Draft<Usage> = { ...earlier };
  for (const key of counts) {
    const count = later[key];
    if (count !== undefined && Number.isFinite(count) && count >= 0) usage[key] = count;
  }
  return usage;
}
