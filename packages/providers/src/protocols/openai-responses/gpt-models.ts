/** Capabilities of each generation of OpenAI models, by model name, unless the registry knows more. As of 2026-11. */
import type { ModelFacts } from "@capstan/kernel";
import type { LevelTable } from "../../projection/thinking-levels.ts";

export interface GptTraits {
  /** Whether it thinks before it answers: it takes an effort, returns encrypted reasoning, and rejects a temperature. */
  readonly isReasoning: boolean;
  readonly levels: LevelTable;
}

const from56: LevelTable = {
  off: "none",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** The first matching row applies. */
const rows: readonly (GptTraits & { readonly name: RegExp })[] = [
  { name: /^gpt-(3|4)|^chatgpt-|-chat-latest$/, isReasoning: false, levels: {} },
  {
    name: /^o\d/,
    isReasoning: true,
    levels: { off: null, low: "low", medium: "medium", high: "high" },
  },
  {
    name: /^gpt-5(\.\d)?-pro/,
    isReasoning: true,
    levels: { off: null, medium: "medium", high: "high", xhigh: "xhigh" },
  },
  {
    name: /^gpt-5(-(mini|nano|codex))?$/,
    isReasoning: true,
    levels: { off: null, minimal: "minimal", low: "low", medium: "medium", high: "high" },
  },
  {
    name: /^gpt-5\.1/,
    isReasoning: true,
    levels: { off: "none", low: "low", medium: "medium", high: "high" },
  },
  { name: /^gpt-5\.[2-5]/, isReasoning: true, levels: { ...from56, max: null } },
  { name: /^gpt-/, isReasoning: true, levels: from56 },
];

/** Another vendor's model: no feature is requested that it is not known to have. */
const unknown: GptTraits = { isReasoning: false, levels: {} };

export function traitsOf(model: string, facts: ModelFacts | undefined): GptTraits {
  const name = model
    .toLowerCase()
    // A host of many vendors' models puts the vendor before the name.
    .replace(/^.*\//, "")
    .replace(/-\d{4}-\d{2}-\d{2}$/, "");
  const traits = rows.find((row) => row.name.test(name)) ?? unknown;
  if (facts?.thinking === undefined) return traits;
  return facts.thinking === false
    ? unknown
    : { isReasoning: true, levels: { ...traits.levels, ...facts.thinking } };
}
