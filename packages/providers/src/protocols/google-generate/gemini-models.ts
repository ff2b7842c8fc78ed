/** What each generation of Gemini takes, by the model's name, where no registry says more. As of 2026-11. */
import type { LevelTable } from "../../projection/thinking-levels.ts";
import { levelBudgets } from "../../projection/thinking-levels.ts";

export interface GeminiTraits {
  /** `budget`: it is given tokens. `level`: it is given a word. `none`: it cannot think. */
  readonly thinking: "none" | "budget" | "level";
  readonly levels: LevelTable;
  /** It refuses the call of a step whose signature is missing. */
  readonly needsSignatures: boolean;
}

/** The first that fits holds. */
const rows: readonly (GeminiTraits & { readonly name: RegExp })[] = [
  { name: /^gemini-(1|2\.0)/, thinking: "none", levels: {}, needsSignatures: false },
  {
    // It can be kept short, but not kept from thinking.
    name: /^gemini-2\.5-pro/,
    thinking: "budget",
    levels: { ...levelBudgets, off: 128, xhigh: 32_768, max: 32_768 },
    needsSignatures: false,
  },
  {
    name: /^gemini-2\.5/,
    thinking: "budget",
    levels: { ...levelBudgets, off: 0, xhigh: 24_576, max: 24_576 },
    needsSignatures: false,
  },
  {
    name: /^gemini-3(\.[0-6])?-flash|^gemini-flash/,
    thinking: "level",
    levels: { off: null, minimal: "minimal", low: "low", medium: "medium", high: "high" },
    needsSignatures: true,
  },
  {
    name: /^gemini/,
    thinking: "level",
    levels: { off: null, low: "low", medium: "medium", high: "high" },
    needsSignatures: true,
  },
];

/** A model of another family: nothing is asked of it that nobody knows to be there. */
const unknown: GeminiTraits = { thinking: "none", levels: {}, needsSignatures: false };

export function traitsOf(model: string): GeminiTraits {
  const name = model.toLowerCase().replace(/^.*\//, "");
  return rows.find((row) => row.name.test(name)) ?? unknown;
}
