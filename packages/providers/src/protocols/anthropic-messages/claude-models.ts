/** Capabilities of each generation of Claude, by model name. From platform.claude.com, 2026-11. */
import type { LevelTable } from "../../projection/thinking-levels.ts";
import { levelBudgets } from "../../projection/thinking-levels.ts";

export interface ClaudeTraits {
  /**
   * `budget`: takes a token budget. `adaptive`: takes an effort and rejects a token budget. `either`: takes both. `none`: cannot
   * think.
   */
  readonly thinking: "none" | "budget" | "either" | "adaptive";
  /** How thinking is turned off. `default`: by not requesting it. `never`: impossible. */
  readonly off: "default" | "disabled" | "between_tools" | "never";
  /** The model's value for each level. */
  readonly levels: LevelTable;
  /** Whether it hides its thinking text unless requested. */
  readonly hidesThinking: boolean;
  /** Whether it checks that nothing before a thinking block has changed. */
  readonly bindsThinking: boolean;
  /** Whether it thinks between tool calls only with a beta header. */
  readonly needsInterleavedBeta: boolean;
  /** Whether it can be forced to call a tool. */
  readonly forcedTool: "while-not-thinking" | "never";
  readonly takesTemperature: boolean;
  /** Whether the vendor can enforce a schema. */
  readonly takesOutputFormat: boolean;
  /** Whether it continues any reply the messages end in; such models reject a reply that ends in white space. */
  readonly takesPrefill: boolean;
  /** Whether it accepts system messages within a conversation. */
  readonly takesSystemMessages: boolean;
  readonly maxOutputTokens: number;
}

interface Row extends Partial<ClaudeTraits> {
  readonly name: RegExp;
}

const efforts: LevelTable = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};
const effortsOf46: LevelTable = { ...efforts, xhigh: null };

/** Claude from 5.5 on, and every name without a row: a new model is more like the latest one than like the first. */
const newest: ClaudeTraits = {
  thinking: "adaptive",
  off: "never",
  levels: { ...efforts, off: null },
  hidesThinking: true,
  bindsThinking: true,
  needsInterleavedBeta: false,
  forcedTool: "never",
  takesTemperature: false,
  takesOutputFormat: true,
  takesPrefill: false,
  takesSystemMessages: true,
  maxOutputTokens: 128_000,
};

const before46: Omit<Row, "name"> = {
  thinking: "budget",
  off: "default",
  levels: levelBudgets,
  hidesThinking: false,
  bindsThinking: false,
  forcedTool: "while-not-thinking",
  takesTemperature: true,
  takesPrefill: true,
  takesSystemMessages: false,
};

const from46: Omit<Row, "name"> = {
  off: "default",
  levels: efforts,
  bindsThinking: false,
  forcedTool: "while-not-thinking",
};

/** Differences from the newest models. The first matching row applies. */
const rows: readonly Row[] = [
  {
    name: /^claude-3-(opus|sonnet|haiku)/,
    ...before46,
    thinking: "none",
    takesOutputFormat: false,
    maxOutputTokens: 4096,
  },
  {
    name: /^claude-3-5-/,
    ...before46,
    thinking: "none",
    takesOutputFormat: false,
    maxOutputTokens: 8192,
  },
  { name: /^claude-3-7-/, ...before46, takesOutputFormat: false, maxOutputTokens: 64_000 },
  {
    name: /^claude-opus-4(-0)?$/,
    ...before46,
    needsInterleavedBeta: true,
    takesOutputFormat: false,
    maxOutputTokens: 32_000,
  },
  {
    name: /^claude-opus-4-1$/,
    ...before46,
    needsInterleavedBeta: true,
    maxOutputTokens: 32_000,
  },
  { name: /^claude-haiku-4/, ...before46, maxOutputTokens: 64_000 },
  {
    name: /^claude-sonnet-4(-0)?$/,
    ...before46,
    needsInterleavedBeta: true,
    takesOutputFormat: false,
    maxOutputTokens: 64_000,
  },
  {
    name: /^claude-(opus|sonnet)-4-5$/,
    ...before46,
    needsInterleavedBeta: true,
    maxOutputTokens: 64_000,
  },
  {
    name: /^claude-(opus|sonnet)-4-6$/,
    ...from46,
    thinking: "either",
    levels: effortsOf46,
    hidesThinking: false,
    takesTemperature: true,
    takesSystemMessages: false,
  },
  { name: /^claude-opus-4-7$/, ...from46, takesSystemMessages: false },
  { name: /^claude-opus-4-8$/, ...from46 },
  { name: /^claude-sonnet-5$/, ...from46, off: "disabled", takesSystemMessages: false },
  { name: /^claude-opus-5$/, ...from46, off: "disabled" },
  { name: /^claude-haiku-5-5$/, ...from46, off: "disabled", bindsThinking: true },
  { name: /^claude-sonnet-5-5$/, off: "between_tools", levels: efforts },
  { name: /^claude-(fable|mythos)-5$/, bindsThinking: false },
  {
    name: /^claude-mythos-preview/,
    thinking: "either",
    levels: { ...effortsOf46, off: null },
    bindsThinking: false,
    takesSystemMessages: false,
  },
];

/** Another vendor's model with this protocol: only features every server of the protocol has had from the start. */
const notClaude: ClaudeTraits = {
  ...newest,
  ...before46,
  takesOutputFormat: false,
  maxOutputTokens: 32_000,
};

/** Traits of a model, by its name as the vendor or a hosting platform spells it. */
export function traitsOf(model: string): ClaudeTraits {
  const start = model.toLowerCase().indexOf("claude-");
  if (start === -1) return notClaude;
  const name = model
    .toLowerCase()
    .slice(start)
    .replace(/[-@](\d{8}|latest)(-v\d.*)?$/, "");
  const row = rows.find((candidate) => candidate.name.test(name));
  return row === undefined ? newest : { ...newest, ...row };
}
