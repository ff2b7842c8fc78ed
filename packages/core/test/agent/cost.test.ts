import { costOf } from "@capstan/core";
import { describe, expect, test } from "vitest";

const price = {
  inputPerMillion: 2,
  outputPerMillion: 10,
  cacheReadPerMillion: 0.5,
  cacheWritePerMillion: 4,
  tiers: [
    { aboveInputTokens: 400_000, inputPerMillion: 8, outputPerMillion: 40 },
    { aboveInputTokens: 200_000, inputPerMillion: 4, outputPerMillion: 20 },
  ],
};

describe("what a request costs", () => {
  test("cached tokens have prices of their own, and are not counted twice", () => {
    const usage = {
      inputTokens: 100_000,
      outputTokens: 10_000,
      cacheReadTokens: 60_000,
      cacheWriteTokens: 20_000,
    };

    // 20,000 fresh, 60,000 read, 20,000 written, 10,000 out
    expect(costOf(usage, price)).toBeCloseTo(0.04 + 0.03 + 0.08 + 0.1, 12);
  });

  test.each([
    [200_000, 0.4],
    [200_001, 0.800_004],
    [400_000, 1.6],
    [400_001, 3.200_008],
  ])(
    "with %i tokens of input it is %d dollars: a tier holds for the whole request",
    (inputTokens, cost) => {
      expect(costOf({ inputTokens, outputTokens: 0 }, price)).toBeCloseTo(cost, 9);
    },
  );

  test("the cache of a tier without prices for it costs what its input does", () => {
    const usage = { inputTokens: 300_000, outputTokens: 0, cacheReadTokens: 300_000 };

    expect(costOf(usage, price)).toBeCloseTo(1.2, 9);
  });

  test("what was not reported has no cost", () => {
    expect(costOf({ inputTokens: 5 }, price)).toBeUndefined();
    expect(costOf(undefined, price)).toBeUndefined();
    expect(costOf({ inputTokens: 5, outputTokens: 5 }, undefined)).toBeUndefined();
  });
});
