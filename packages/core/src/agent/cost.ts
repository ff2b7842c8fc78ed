/** What usage costs, at the price of a model. */
import type { Usage } from "@capstan/kernel";

/** In dollars for a million tokens. */
export interface ModelPrice {
  /** Of the list that it is from, stored with what was computed by it. */
  readonly id?: string;
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Default: the price of input. */
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
}

/** Undefined where the provider did not report what the price is for: unknown is not zero. */
export function costOf(
  usage: Usage | undefined,
  price: ModelPrice | undefined,
): number | undefined {
  if (usage === undefined || price === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { inputPerMillion, outputPerMillion } = price;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const total =
    fresh * inputPerMillion +
    cacheReadTokens * (price.cacheReadPerMillion ?? inputPerMillion) +
    cacheWriteTokens * (price.cacheWritePerMillion ?? inputPerMillion) +
    outputTokens * outputPerMillion;
  return total / 1_000_000;
}
