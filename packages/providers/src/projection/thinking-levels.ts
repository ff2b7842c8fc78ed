/** How a thinking level becomes what one vendor understands: a word, a budget, or nothing at all. */
import type { ProviderStreamOptions, ThinkingLevel } from "@capstan/kernel";

/** What a protocol says for each level. `null` where the model has no such level; a level left out counts as that. */
export type LevelTable = Readonly<Partial<Record<ThinkingLevel, string | number | null>>>;

/**
 * What to ask for. `default`: nobody asked, or the model cannot think, so nothing is sent. `off`: no thinking, in the protocol's
 * own way.
 */
export type ThinkingAsk =
  | { readonly type: "default" }
  | { readonly type: "off" }
  | { readonly type: "word"; readonly word: string }
  | { readonly type: "budget"; readonly tokens: number };

/** From the least to the most. */
const levels: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

/** Tokens for a vendor that is given a number and whose model states none of its own. */
export const levelBudgets: LevelTable = {
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
  max: 49_152,
};

/**
 * The level that was asked for, in the vendor's words. What the registry knows of the model goes before the protocol's `table`. A level
 * that the model lacks becomes the nearest one below it, or else the nearest above: it is a wish and no reason to fail. A budget
 * of the caller wins where `takesBudgets` says that the model can be given one.
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
  // Only a model that says so cannot be kept from thinking.
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
  // Who asked for thinking does not mean none at all.
  const lowest = wanted === 0 ? 0 : 1;
  const below = levels.slice(lowest, wanted + 1).toReversed();
  for (const level of [...below, ...levels.slice(wanted + 1)]) {
    const entry = table[level];
    if (entry !== undefined && entry !== null) return entry;
  }
  return undefined;
}
