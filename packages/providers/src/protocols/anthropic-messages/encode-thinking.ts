/** How the model is asked to think, and what that forbids elsewhere in the request. */
import type { ProviderStreamOptions } from "@capstan/kernel";
import type { ThinkingAsk } from "../../projection/thinking-levels.ts";
import { askFor, levelBudgets } from "../../projection/thinking-levels.ts";
import type { ClaudeTraits } from "./claude-models.ts";
import type { Effort, WireThinking } from "./request.ts";

export interface ThinkingPlan {
  readonly thinking?: WireThinking;
  readonly effort?: Effort;
  /** Whether it thinks, as far as can be told. */
  readonly isOn: boolean;
  /** Whether thinking of earlier replies goes back. */
  readonly sendsThinking: boolean;
  readonly betas: readonly string[];
}

const bindingBeta = "thinking-binding-controls-2026-08-01";
const interleavedBeta = "interleaved-thinking-2025-05-14";

/** The vendor's least budget; the answer gets at least as much. */
const minBudget = 1024;

const unset: ThinkingPlan = { isOn: false, sendsThinking: true, betas: [] };

/** `mustCall`: the model is to be told to call a tool, which it does only while it does not think. */
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

/** As the model likes it. */
function planDefault(traits: ClaudeTraits): ThinkingPlan {
  const isOn = traits.off !== "default";
  if (!traits.bindsThinking) return { ...unset, isOn };
  // These think so by themselves: to say it changes nothing, and is where the setting for stale blocks stands.
  return { ...unset, isOn, thinking: { type: "adaptive", ...dropStale }, betas: [bindingBeta] };
}

function planOff({ off, bindsThinking }: ClaudeTraits): ThinkingPlan {
  if (off !== "disabled" && off !== "between_tools") return unset;
  // The setting for stale blocks has no place here, so none go out that could be stale.
  return { ...unset, thinking: { type: off }, sendsThinking: !bindsThinking };
}

function planEffort(word: string, traits: ClaudeTraits): ThinkingPlan {
  const { hidesThinking, bindsThinking } = traits;
  return {
    ...unset,
    isOn: true,
    thinking: {
      type: "adaptive",
      // Who asks for thinking wants to see it.
      ...(hidesThinking && { display: "summarized" }),
      ...(bindsThinking && dropStale),
    },
    // A registry may know words that are newer than this list of them.
    effort: word as Effort,
    betas: bindsThinking ? [bindingBeta] : [],
  };
}

function planBudget(wanted: number, traits: ClaudeTraits, maxTokens: number): ThinkingPlan {
  const tokens = Math.min(Math.max(Math.floor(wanted), minBudget), maxTokens - minBudget);
  // Without room for both there is only the answer.
  if (!(tokens >= minBudget)) return unset;
  return {
    ...unset,
    isOn: true,
    thinking: { type: "enabled", budget_tokens: tokens },
    betas: traits.needsInterleavedBeta ? [interleavedBeta] : [],
  };
}

/**
 * These models refuse thinking whose prefix has changed since, which evictions and new instructions do. The conversation should
 * rather go on without it.
 */
const dropStale = { block_binding: { prefix_mismatch_behavior: "drop_block" } } as const;

function budgetOf({ thinkingLevel = "medium" }: ProviderStreamOptions): number {
  return Number(levelBudgets[thinkingLevel] ?? minBudget);
}

function effortOf({ thinkingLevel = "high" }: ProviderStreamOptions, traits: ClaudeTraits): string {
  return String(traits.levels[thinkingLevel] ?? "low");
}
