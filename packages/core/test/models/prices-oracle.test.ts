/** Our arithmetic against another's, which has a price list of its own: cache, tiers, and prices of all kinds. */
import { costOf, createModelRegistry } from "@capstan/core";
import type { RegisteredModel } from "@capstan/core";
import type { Usage } from "@capstan/kernel";
import { calcPrice } from "@pydantic/genai-prices";
import { describe, expect, test } from "vitest";

const oracleVendors: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "google",
  groq: "groq",
  mistral: "mistral",
  deepseek: "deepseek",
  xai: "x-ai",
};

/** The lists themselves differ here: prices of another month, a tier or a price for the cache that one of them lacks. */
const listsDiffer: ReadonlySet<string> = new Set([
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-sonnet-4-5-20250929",
  "anthropic/claude-sonnet-5-5",
  "groq/openai/gpt-oss-safeguard-20b",
  "mistral/codestral-latest",
  "mistral/magistral-medium-latest",
  "mistral/mistral-large-latest",
  "mistral/mistral-medium-3.5",
  "mistral/mistral-small-latest",
  "mistral/open-mistral-nemo",
  "mistral/pixtral-12b",
]);

/** Some prices are lower at night; ours are those of the day. */
const timestamp = new Date("2026-11-16T09:00:00Z");

const usages: readonly Usage[] = [1_000, 150_000, 250_000, 450_000].flatMap((inputTokens) => [
  { inputTokens, outputTokens: 500 },
  { inputTokens, outputTokens: 0, cacheReadTokens: inputTokens / 2 },
  { inputTokens, outputTokens: 1, cacheReadTokens: 100, cacheWriteTokens: 200 },
]);

const known = (await createModelRegistry().list()).filter(
  (model) => model.price !== undefined && oracle(model, { inputTokens: 1 }) !== undefined,
);
const compared = known.filter((model) => !listsDiffer.has(nameOf(model)));

describe("the cost of a request", () => {
  test.each(compared.map((model) => [nameOf(model), model] as const))(
    "of %s is what another library makes of it",
    (_, model) => {
      const ours = usages.map((usage) => rounded(costOf(usage, model.price)));

      expect(ours).toEqual(usages.map((usage) => rounded(oracle(model, usage))));
    },
  );

  test("is compared wherever both know the model", () => {
    expect(compared.length).toBe(known.length - listsDiffer.size);
    expect(compared.length).toBeGreaterThanOrEqual(80);
  });
});

function nameOf({ vendor, id }: RegisteredModel): string {
  return `${vendor}/${id}`;
}

function oracle({ vendor, id }: RegisteredModel, usage: Usage): number | undefined {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const providerId = oracleVendors[vendor];
  if (providerId === undefined) return undefined;
  const counts = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
  return calcPrice(counts, id, { providerId, timestamp })?.total_price;
}

function rounded(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : Math.round(cost * 1e9) / 1e9;
}
