/** When and how the context of a session is compacted, as an agent says. */
import { AgentError } from "../errors/agent-error.ts";
import type { Model, ModelChoice } from "../models/model.ts";
import { nameOf, windowOf } from "../models/model.ts";

export interface CompactionOptions {
  /** Whether it happens by itself, when the context is too full or the provider says so. Default true. */
  readonly auto?: boolean;
  /** Of the context window, from which on it is too full. Default 0.8. */
  readonly thresholdRatio?: number;
  /** Tokens of the context window that are kept free for the reply; it is too full from there on, too. Default: what a reply may have. */
  readonly reserveTokens?: number;
  /** What writes the summary. Default: the model of the turn, whose provider has the messages in its cache. */
  readonly model?: ModelChoice;
  /** What else the summary has to heed. */
  readonly summaryDirectives?: string;
  /** How many steps at the end stay as they are. Default 0. */
  readonly keepRecentSteps?: number;
  /** How much of the context it has to free, or the turn ends with `context-exhausted`. Default 0.2. */
  readonly minFreedShare?: number;
}

/** The same for one turn, with everything resolved. */
export interface CompactionPlan {
  /** Tokens from which on the context is too full; `Infinity` where that changes nothing by itself. */
  readonly threshold: number;
  readonly isAuto: boolean;
  /** Undefined where nobody knows it. */
  readonly window: number | undefined;
  readonly model: ModelChoice | undefined;
  readonly directives: string | undefined;
  readonly keepRecentSteps: number;
  readonly minFreedShare: number;
}

const defaults = { thresholdRatio: 0.8, keepRecentSteps: 0, minFreedShare: 0.2 } as const;

/** Of the window, that may be kept free for a reply: some registries say that one could have all of it. */
const maxReplyShare = 0.5;
/** More than replies have that nobody has limited. */
const usualReply = 32_000;
/** Where even more is to be kept free, nothing would ever fit. */
const maxReserveShare = 0.9;

/** Throws an `AgentError` for what cannot be meant. The window, where it is known by then. */
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

/** Undefined where compaction is switched off. `assumed` is a window that no list knows. */
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

/** Whether there is a threshold that nobody can know without the context window. */
export function needsWindow(options: CompactionOptions | false | undefined): boolean {
  return options !== false && options?.auto !== false;
}

export function unknownWindow(model: Model): AgentError {
  const message = `The context window of the model "${nameOf(model)}" is unknown, so compaction cannot tell when its context is full: state it as contextWindow of the provider or of the model's facts, register the model in a registry, leave compaction out to assume a small one, or switch it off with compaction: { auto: false }`;
  return new AgentError("unknown_window", message);
}
