/** Arithmetic on token counts in which unknown never becomes zero. */
import type { Usage } from "./contracts/conversation.ts";

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
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {};
  for (const key of counts) {
    const left = a[key];
    const right = b[key];
    if (left !== undefined) sum[key] = right === undefined ? left : left + right;
    else if (right !== undefined) sum[key] = right;
  }
  return sum;
}

/** A total with one more attempt in it; an attempt that reported nothing is counted as such. */
export function addAttemptUsage(total: Usage, attempt: Usage | undefined): Usage {
  return addUsage(total, attempt ?? { unreportedAttempts: 1 });
}
