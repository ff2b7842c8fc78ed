/** Describes the token usage and cost of turns in a few words. */
import type { Usage } from "@capstan/kernel";

/** Empty if no provider reported any usage. */
export function describeUsage({
  usage,
  cost,
}: {
  readonly usage: Usage;
  readonly cost?: number;
}): string {
  const { inputTokens, outputTokens, unreportedAttempts = 0 } = usage;
  if (inputTokens === undefined && outputTokens === undefined && cost === undefined) return "";
  const least = unreportedAttempts > 0 ? "at least " : "";
  const tokens = `${least}${count(inputTokens)} tokens in, ${count(outputTokens)} out`;
  return cost === undefined ? tokens : `${tokens}, ${toDollars(cost)}`;
}

/** Shows more digits for small amounts. */
function toDollars(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function count(tokens: number | undefined): string {
  return tokens === undefined ? "?" : tokens.toLocaleString("en-US");
}
