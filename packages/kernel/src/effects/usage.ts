/** Arithmetic on token counts that never turns unknown into zero. */
import type { Usage } from "../contracts/conversation.ts";
import type { Draft } from "./draft.ts";

const counts = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "unreportedAttempts",
] as const;

/** Sum of two totals: a count is undefined only if both are. Field by field, because every attempt of every turn is counted several times. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Draft<Usage> = {};
  const inputTokens = add(a.inputTokens, b.inputTokens);
  if (inputTokens !== undefined) sum.inputTokens = inputTokens;
  const outputTokens = add(a.outputTokens, b.outputTokens);
  if (outputTokens !== undefined) sum.outputTokens = outputTokens;
  const cacheReadTokens = add(a.cacheReadTokens, b.cacheReadTokens);
  if (cacheReadTokens !== undefined) sum.cacheReadTokens = cacheReadTokens;
  const cacheWriteTokens = add(a.cacheWriteTokens, b.cacheWriteTokens);
  if (cacheWriteTokens !== undefined) sum.cacheWriteTokens = cacheWriteTokens;
  const reasoningTokens = add(a.reasoningTokens, b.reasoningTokens);
  if (reasoningTokens !== undefined) sum.reasoningTokens = reasoningTokens;
  const unreportedAttempts = add(a.unreportedAttempts, b.unreportedAttempts);
  if (unreportedAttempts !== undefined) sum.unreportedAttempts = unreportedAttempts;
  return sum;
}

function add(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : left + right;
}

/** Replaces earlier counts by later ones. Invalid counts are ignored. */
export function replaceUsage(earlier: Usage | undefined, later: Usage): Usage {
  const usage: Draft<Usage> = { ...earlier };
  for (const key of counts) {
    const count = later[key];
    if (typeof count === "number" && Number.isFinite(count) && count >= 0) usage[key] = count;
  }
  return usage;
}
