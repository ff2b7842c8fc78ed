/** Cost of usage, at the price of a model. */
import type { Usage } from "@capstan/kernel";

/** In dollars per million tokens. */
export interface TokenPrices {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  /** Default: the price of input. */
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
}

/** Prices for all tokens of a request whose input exceeds a number of tokens. */
export interface PriceTier extends TokenPrices {
  readonly aboveInputTokens: number;
}

/** Price of a model in US dollars a million tokens, with tiers for long requests. */
export interface ModelPrice extends TokenPrices {
  /** Id of the price list, stored with costs computed from it. */
  readonly id?: string;
  readonly tiers?: readonly PriceTier[];
}

/**
 * Returns the cost of a request in dollars. Undefined if the provider did not report the tokens: unknown is not
 * zero. `usage` is that of one request.
 */
export function costOf(
  usage: Usage | undefined,
  price: ModelPrice | undefined,
): number | undefined {
  if (usage === undefined || price === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const prices = pricesFor(inputTokens, price);
  const { inputPerMillion, outputPerMillion } = prices;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const total =
    fresh * inputPerMillion +
    cacheReadTokens * (prices.cacheReadPerMillion ?? inputPerMillion) +
    cacheWriteTokens * (prices.cacheWritePerMillion ?? inputPerMillion) +
    outputTokens * outputPerMillion;
  return total / 1_000_000;
}

/** Returns the highest tier that the request has reached. */
function pricesFor(inputTokens: number, price: ModelPrice): TokenPrices {
  let prices: TokenPrices = price;
  let reached = 0;
  for (const tier of price.tiers ?? []) {
    if (inputTokens <= tier.aboveInputTokens || tier.aboveInputTokens < reached) continue;
    prices = tier;
    reached = tier.aboveInputTokens;
  }
  return prices;
}
