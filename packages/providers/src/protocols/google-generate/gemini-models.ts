/** Capabilities of each generation of Gemini, by model name, unless the registry knows more. As of 2026-11. */
import type { LevelTable } from "../../projection/thinking-levels.ts";
import { levelBudgets } from "../../projection/thinking-levels.ts";

export interface GeminiTraits {
  /** `budget`: takes a token budget. `level`: takes a word. `none`: cannot think. */
  readonly thinking: "none" | "budget" | "level";
  readonly levels: LevelTable;
  /** Whether it rejects a step whose call lacks a signature. */
  readonly needsSignatures: boolean;
}

/** The first matching row applies. */
const rows: readonly (GeminiTraits & { readonly name: RegExp })[] = [
  { name: /^gemini-(1|2\.0)/, thinking: "none", levels: {}, needsSignatures: false },
  {
    // Thinking can be limited, but not turned off.
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

/** A model of another family: no feature is requested that it is not known to have. */
const unknown: GeminiTraits = { thinking: "none", levels: {}, needsSignatures: false };

export function traitsOf(model: string): GeminiTraits {
  const name = model.toLowerCase().replace(/^.*\//, "");
  return rows.find((row) => row.name.test(name)) ?? unknown;
}
