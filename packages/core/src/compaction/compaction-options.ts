/** Options of an agent for compaction: when and how. */
import { AgentError } from "../errors/agent-error.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { nameOf, windowOf } from "../models/model.ts";

/** Settings of compaction: when the context is summarized, by which model, and what stays whole. */
export interface CompactionOptions {
  /** Whether to compact automatically, when the context is too full or the provider reports an overflow. Default true. */
  readonly auto?: boolean;
  /** Share of the context window above which the context is too full. Default 0.8. */
  readonly thresholdRatio?: number;
  /** Tokens of the context window to keep free for the reply. Default: the longest reply of the model. */
  readonly reserveTokens?: number;
  /** Model that writes the summary. Default: the model of the turn, whose vendor has the messages in its cache. */
  readonly model?: ModelChoice;
  /** Additional instructions for the summary. */
  readonly summaryDirectives?: string;
  /** Number of recent steps that are not summarized. Default 0. */
  readonly keepRecentSteps?: number;
  /** Share of the context that a compaction must free; otherwise the turn ends with `context-exhausted`. Default 0.2. */
  readonly minFreedShare?: number;
}

/** Resolved options for one turn. */
export interface CompactionPlan {
  /** Tokens at which the context is too full; `Infinity` if compaction is not automatic. */
  readonly threshold: number;
  readonly isAuto: boolean;
  /** Undefined if unknown. */
  readonly window: number | undefined;
  readonly model: ModelChoice | undefined;
  readonly directives: string | undefined;
  readonly keepRecentSteps: number;
  readonly minFreedShare: number;
}

const defaults = { thresholdRatio: 0.8, keepRecentSteps: 0, minFreedShare: 0.2 } as const;

/** Largest share of the window to keep free for a reply: some registries list replies as long as the window. */
const maxReplyShare = 0.5;
/** Longer than replies without a limit usually are. */
const usualReply = 32_000;
/** Largest share to keep free: with more, nothing would fit. */
const maxReserveShare = 0.9;

/** Throws an `AgentError` for invalid options. `window` is checked if it is known by then. */
export function checkCompaction(
  options: CompactionOptions | false | undefined,
  window: number = Infinity,
): void {
  if (options === undefined || options === false) return;
  const { thresholdRatio, reserveTokens, keepRecentSteps, minFreedShare } = options;
  mustBe(
    "thresholdRatio",
    thresholdRatio,
    "above 0, and 1 at most",
    (ratio) => ratio > 0 && ratio <= 1,
  );
  mustBe(
    "reserveTokens",
    reserveTokens,
    `0 or more, and below ${window * maxReserveShare} in this window`,
    (tokens) => tokens >= 0 && tokens < window * maxReserveShare,
  );
  mustBe("keepRecentSteps", keepRecentSteps, "a whole number, 0 or more", isCount);
  mustBe(
    "minFreedShare",
    minFreedShare,
    "0 or more, and below 1",
    (share) => share >= 0 && share < 1,
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

function mustBe(
  name: keyof CompactionOptions,
  value: number | undefined,
  what: string,
  isRight: (value: number) => boolean,
): void {
  if (value === undefined || isRight(value)) return;
  throw new AgentError(
    "invalid_compaction",
    `compaction.${name} is ${value}: it has to be ${what}`,
  );
}

/** Undefined if compaction is disabled. `assumed` is the window to use if it is unknown. */
export function planCompaction(
  options: CompactionOptions | false | undefined,
  of: Model,
  maxTokens: number | undefined,
  assumed?: number,
): CompactionPlan | undefined {
  if (options === false) return undefined;
  const { auto: isAuto = true, model, summaryDirectives: directives } = options ?? {};
  const {
    keepRecentSteps = defaults.keepRecentSteps,
    minFreedShare = defaults.minFreedShare,
    thresholdRatio = defaults.thresholdRatio,
  } = options ?? {};
  const window = windowOf(of) ?? assumed;
  const reserve =
    options?.reserveTokens && Math.min(options.reserveTokens, (window ?? 0) * maxReserveShare);
  const threshold =
    isAuto && window !== undefined
      ? Math.min(window * thresholdRatio, window - (reserve ?? replyOf(of, window, maxTokens)))
      : Infinity;
  return { threshold, isAuto, window, model, directives, keepRecentSteps, minFreedShare };
}

function replyOf({ facts }: Model, window: number, maxTokens: number | undefined): number {
  const most = window * maxReplyShare;
  if (maxTokens !== undefined) return Math.min(maxTokens, most);
  const { maxOutputTokens = 0 } = facts ?? {};
  return maxOutputTokens > most ? 0 : Math.min(maxOutputTokens, usualReply);
}

/** Whether the threshold depends on the context window. */
export function needsWindow(options: CompactionOptions | false | undefined): boolean {
  return options !== false && options?.auto !== false;
}

export function unknownWindow(model: Model): AgentError {
  const message = `The context window of the model "${nameOf(model)}" is unknown, so compaction cannot tell when its context is full: state it as contextWindow of the provider or of the model's facts, register the model in a registry, leave compaction out to assume a small one, or switch it off with compaction: { auto: false }`;
  return new AgentError("unknown_window", message);
}
