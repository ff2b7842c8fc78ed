/** What each generation of Claude takes and refuses, by the model's name. From platform.claude.com, 2026-11. */
import type { LevelTable } from "../../projection/thinking-levels.ts";
import { levelBudgets } from "../../projection/thinking-levels.ts";

export interface ClaudeTraits {
  /**
   * `budget`: it is given tokens. `adaptive`: it is given an effort and refuses tokens. `either`: both are taken. `none`: it cannot
   * think.
   */
  readonly thinking: "none" | "budget" | "either" | "adaptive";
  /** How thinking is kept off. `default`: by not asking. `never`: it cannot be. */
  readonly off: "default" | "disabled" | "between_tools" | "never";
  /** What each level is called. */
  readonly levels: LevelTable;
  /** Whether it hides the text of its thinking unless it is asked for. */
  readonly hidesThinking: boolean;
  /** It checks that nothing before a thinking block has changed. */
  readonly bindsThinking: boolean;
  /** Thinks between tool calls only if a beta header says so. */
  readonly needsInterleavedBeta: boolean;
  /** Whether it may be told to call a tool. */
  readonly forcedTool: "while-not-thinking" | "never";
  readonly takesTemperature: boolean;
  /** Whether the vendor can hold it to a schema. */
  readonly takesOutputFormat: boolean;
  /** Goes on with whatever reply the messages end in, and then refuses one that ends in white space. */
  readonly takesPrefill: boolean;
  /** Takes instructions in the middle of a conversation. */
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

/** Claude from 5.5 on, and every name that no row has: a new model is rather like the last one than like the first. */
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

/** Where a model differs from the newest. The first row that fits holds. */
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

/** A model of another maker behind this protocol: only what every server of the protocol has known from the start. */
const notClaude: ClaudeTraits = {
  ...newest,
  ...before46,
  takesOutputFormat: false,
  maxOutputTokens: 32_000,
};

/** The traits of a model, from its name as the vendor or a platform of it spells it. */
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
