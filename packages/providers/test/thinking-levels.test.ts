import type { ProviderStreamOptions } from "@capstan/kernel";
import { expect, test } from "vitest";
import { askFor } from "../src/projection/thinking-levels.ts";

const words = { low: "low", medium: "medium", high: "high" };
const ask = (
  options: ProviderStreamOptions,
  table: Parameters<typeof askFor>[1] = words,
): unknown => askFor(options, table, true);
const word = (text: string): object => ({ type: "word", word: text });

test("nobody asked, nothing is sent", () => {
  expect(ask({})).toEqual({ type: "default" });
  expect(ask({ thinkingBudgets: { high: 5 } })).toEqual({ type: "default" });
});

test("a model that cannot think is not asked to", () => {
  expect(ask({ thinkingLevel: "high", modelFacts: { thinking: false } })).toEqual({
    type: "default",
  });
});

test.each([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["xhigh", "high"],
  ["max", "high"],
] as const)("level %s of a model with three is %s", (thinkingLevel, wanted) => {
  expect(ask({ thinkingLevel })).toEqual(word(wanted));
});

test("off is off, unless the model cannot be kept from thinking", () => {
  expect(ask({ thinkingLevel: "off" })).toEqual({ type: "off" });
  expect(ask({ thinkingLevel: "off" }, { ...words, off: null })).toEqual(word("low"));
  expect(ask({ thinkingLevel: "off" }, { ...words, off: "none" })).toEqual(word("none"));
});

test("who asks for thinking does not get none", () => {
  expect(ask({ thinkingLevel: "minimal" }, { off: "none", high: "high" })).toEqual(word("high"));
});

test("what is known of the model goes first", () => {
  const modelFacts = { thinking: { high: 7000, low: null } };

  expect(ask({ thinkingLevel: "high", modelFacts })).toEqual({ type: "budget", tokens: 7000 });
  expect(ask({ thinkingLevel: "low", modelFacts })).toEqual(word("medium"));
});

test("a budget of the caller wins where it can be sent", () => {
  const options = { thinkingLevel: "high", thinkingBudgets: { high: 5 } } as const;

  expect(askFor(options, words, true)).toEqual({ type: "budget", tokens: 5 });
  expect(askFor(options, words, false)).toEqual(word("high"));
});

test("without any level there is nothing to ask for", () => {
  expect(ask({ thinkingLevel: "high" }, {})).toEqual({ type: "default" });
});
