import { addUsage } from "@capstan/kernel";
import type { Usage } from "@capstan/kernel";
import {
  failAfter,
  failBefore,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const anyCount = fc.nat({ max: 1_000_000 });

const anyUsage: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: anyCount,
    outputTokens: anyCount,
    cacheReadTokens: anyCount,
    cacheWriteTokens: anyCount,
    reasoningTokens: anyCount,
    unreportedAttempts: anyCount,
  },
  { requiredKeys: [], noNullPrototype: true },
);

test("counts add up field by field", () => {
  const sum = addUsage(
    { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 },
    { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30 },
  );

  expect(sum).toEqual({ inputTokens: 11, outputTokens: 22, cacheReadTokens: 33 });
});

test("every field is added", () => {
  const all: Required<Usage> = {
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
    unreportedAttempts: 6,
  };

  expect(addUsage(all, all)).toEqual({
    inputTokens: 2,
    outputTokens: 4,
    cacheReadTokens: 6,
    cacheWriteTokens: 8,
    reasoningTokens: 10,
    unreportedAttempts: 12,
  });
});

test("what one side does not know is what the other says, and what neither knows stays unknown", () => {
  const sum = addUsage({ inputTokens: 1 }, { outputTokens: 0 });

  expect(sum).toStrictEqual({ inputTokens: 1, outputTokens: 0 });
});

test("order makes no difference, nothing adds nothing, and the sides stay as they are", () => {
  fc.assert(
    fc.property(anyUsage, anyUsage, anyUsage, (a, b, c) => {
      const before = structuredClone([a, b, c]);

      const sum = addUsage(addUsage(a, b), c);

      expect(addUsage(a, addUsage(b, c))).toStrictEqual(sum);
      expect(addUsage(addUsage(c, b), a)).toStrictEqual(sum);
      expect(addUsage(a, {})).toStrictEqual({ ...a });
      expect([a, b, c]).toStrictEqual(before);
    }),
  );
});

test("an attempt that reported nothing is counted as such and not as zero", async () => {
  const provider = scriptedProvider([failBefore("overloaded"), say("Hello")]);

  const turn = await runToEnd({ provider, limits: { retry: { maxAttempts: 2 } } });

  expect(turn.usage).toStrictEqual({ unreportedAttempts: 2 });
});

test("a turn counts every attempt: failed ones, silent ones, and those that reported before they failed", async () => {
  const provider = scriptedProvider([
    failBefore("overloaded"),
    failAfter(usage({ inputTokens: 7 }), say("Hel"), "overloaded"),
    reply(say("Hello"), usage({ inputTokens: 7, outputTokens: 2 })),
  ]);

  const turn = await runToEnd({ provider, limits: { retry: { maxAttempts: 3 } } });

  expect(turn.usage).toStrictEqual({ inputTokens: 14, outputTokens: 2, unreportedAttempts: 1 });
  expect(turn.progress.usage).toEqual(turn.usage);
});

test("a later report of one reply replaces the fields it names", async () => {
  const provider = scriptedProvider([
    reply(
      usage({ inputTokens: 7, outputTokens: 1 }),
      say("Hello"),
      usage({ outputTokens: 4, reasoningTokens: 2 }),
    ),
  ]);

  const turn = await runToEnd({ provider });

  expect(turn.usage).toStrictEqual({ inputTokens: 7, outputTokens: 4, reasoningTokens: 2 });
});
