/** Plans how to request thinking, and what that rules out elsewhere in the request. */
import type { ProviderStreamOptions } from "@capstan/kernel";
import type { ThinkingAsk } from "../../projection/thinking-levels.ts";
import { askFor, levelBudgets } from "../../projection/thinking-levels.ts";
import type { ClaudeTraits } from "./claude-models.ts";
import type { Effort, WireThinking } from "./request.ts";

export interface ThinkingPlan {
  readonly thinking?: WireThinking;
  readonly effort?: Effort;
  /** Whether the model thinks, if known. */
  readonly isOn: boolean;
  /** Whether thinking from earlier replies is sent back. */
  readonly sendsThinking: boolean;
  readonly betas: readonly string[];
}

const bindingBeta = "thinking-binding-controls-2026-08-01";
const interleavedBeta = "interleaved-thinking-2025-05-14";

/** The vendor's minimum budget; the answer gets at least as much. */
const minBudget = 1024;

const unset: ThinkingPlan = { isOn: false, sendsThinking: true, betas: [] };

/** `mustCall`: the model must call a tool, which it can only do while thinking is off. */
export function planThinking(
  options: ProviderStreamOptions,
  traits: ClaudeTraits,
  maxTokens: number,
  mustCall: boolean,
): ThinkingPlan {
  if (traits.thinking === "none") return unset;
  const asked = askFor(options, traits.levels, traits.thinking !== "adaptive");
  const ask: ThinkingAsk = mustCall ? { type: "off" } : asked;
  switch (ask.type) {
    case "default":
      return planDefault(traits);
    case "off":
      return planOff(traits);
    case "word":
      return traits.thinking === "budget"
        ? planBudget(budgetOf(options), traits, maxTokens)
        : planEffort(ask.word, traits);
    case "budget":
      return traits.thinking === "adaptive"
        ? planEffort(effortOf(options, traits), traits)
        : planBudget(ask.tokens, traits, maxTokens);
    default:
      return ask satisfies never;
  }
}

/** Uses the model's default. */
function planDefault(traits: ClaudeTraits): ThinkingPlan {
  const isOn = traits.off !== "default";
  if (!traits.bindsThinking) return { ...unset, isOn };
  // These models think by default: stating it changes nothing, but carries the setting for stale blocks.
  return { ...unset, isOn, thinking: { type: "adaptive", ...dropStale }, betas: [bindingBeta] };
}

function planOff({ off, bindsThinking }: ClaudeTraits): ThinkingPlan {
  if (off !== "disabled" && off !== "between_tools") return unset;
  // The setting for stale blocks is not available here, so no block that could be stale is sent.
  return { ...unset, thinking: { type: off }, sendsThinking: !bindsThinking };
}

function planEffort(word: string, traits: ClaudeTraits): ThinkingPlan {
  const { hidesThinking, bindsThinking } = traits;
  return {
    ...unset,
    isOn: true,
    thinking: {
      type: "adaptive",
      // A caller that requests thinking wants to see it.
      ...(hidesThinking && { display: "summarized" }),
      ...(bindsThinking && dropStale),
    },
    // The registry may know words that are newer than this type.
    effort: word as Effort,
    betas: bindsThinking ? [bindingBeta] : [],
  };
}

function planBudget(wanted: number, traits: ClaudeTraits, maxTokens: number): ThinkingPlan {
  const tokens = Math.min(Math.max(Math.floor(wanted), minBudget), maxTokens - minBudget);
  // Without room for both, there is only the answer.
  if (!(tokens >= minBudget)) return unset;
  return {
    ...unset,
    isOn: true,
    thinking: { type: "enabled", budget_tokens: tokens },
    betas: traits.needsInterleavedBeta ? [interleavedBeta] : [],
  };
}

/**
 * These models reject thinking if the prompt before it has changed, as evictions and new instructions do. Dropping the block is better than
 * failing.
 */
const dropStale = { block_binding: { prefix_mismatch_behavior: "drop_block" } } as const;

function budgetOf({ thinkingLevel = "medium" }: ProviderStreamOptions): number {
  return Number(levelBudgets[thinkingLevel] ?? minBudget);
}

function effortOf({ thinkingLevel = "high" }: ProviderStreamOptions, traits: ClaudeTraits): string {
  return String(traits.levels[thinkingLevel] ?? "low");
}
