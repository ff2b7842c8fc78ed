/** Maps a thinking level to a vendor's terms: a word, a budget, or nothing. */
import type { ProviderStreamOptions, ThinkingLevel } from "@capstan/kernel";

/** A protocol's value for each level. `null` or missing if the model has no such level. */
export type LevelTable = Readonly<Partial<Record<ThinkingLevel, string | number | null>>>;

/**
 * The value to request. `default`: no level was requested, or the model cannot think, so nothing is sent. `off`: no thinking, in the
 * protocol's own way.
 */
export type ThinkingAsk =
  | { readonly type: "default" }
  | { readonly type: "off" }
  | { readonly type: "word"; readonly word: string }
  | { readonly type: "budget"; readonly tokens: number };

/** In ascending order. */
const levels: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** Token budgets for vendors that take a number, if the model states none. */
export const levelBudgets: LevelTable = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 49_152,
};

/**
 * Maps the requested level to the vendor's terms. Facts from the registry override the protocol's `table`. A level the model lacks
 * becomes the nearest one below it, or else the nearest above: the level is a wish and no reason to fail. The caller's budget
 * wins if `takesBudgets` states that the model accepts one.
 */
export function askFor(
  { thinkingLevel, thinkingBudgets, modelFacts }: ProviderStreamOptions,
  table: LevelTable,
  takesBudgets: boolean,
): ThinkingAsk {
  const known = modelFacts?.thinking;
  if (thinkingLevel === undefined || known === false) return { type: "default" };
  const merged: LevelTable = { ...table, ...known };
  const isOff = thinkingLevel === "off";
  // Without an entry for `off`, thinking is turned off in the protocol's own way.
  if (isOff && merged.off === undefined) return { type: "off" };
  const tokens = thinkingBudgets?.[thinkingLevel];
  if (tokens !== undefined && takesBudgets && !isOff) return { type: "budget", tokens };
  const entry = nearest(merged, levels.indexOf(thinkingLevel));
  if (entry === undefined) return { type: "default" };
  return typeof entry === "number"
    ? { type: "budget", tokens: entry }
    : { type: "word", word: entry };
}

function nearest(table: LevelTable, wanted: number): string | number | undefined {
  // A request for thinking never becomes `off`.
  const lowest = wanted === 0 ? 0 : 1;
  const below = levels.slice(lowest, wanted + 1).toReversed();
  for (const level of [...below, ...levels.slice(wanted + 1)]) {
    const entry = table[level];
    if (entry !== undefined && entry !== null) return entry;
  }
  return undefined;
}
