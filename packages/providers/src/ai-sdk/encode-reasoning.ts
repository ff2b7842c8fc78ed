/** How much a model is asked to think. */
import type { ModelFacts, ProviderRequest } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import { readableOf } from "../projection/readable-origins.ts";
import type { LevelTable } from "../projection/thinking-levels.ts";
import { askFor } from "../projection/thinking-levels.ts";
import type { AiSdkCallOptions, AiSdkReasoning } from "./model.ts";

const words: LevelTable = {
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** In the AI SDK's words, which its providers fit to the model. Levels that the model is known not to have are not asked for. */
export function reasoningOption(
  request: ProviderRequest,
  target: TargetOrigin,
): Pick<AiSdkCallOptions, "reasoning"> {
  const { thinkingLevel, modelFacts } = request.options;
  if (thinkingLevel === undefined || isForeignStep(request, target)) return {};
  const ask = askFor({ thinkingLevel, modelFacts: levelsIn(modelFacts) }, words, false);
  if (ask.type === "off") return { reasoning: "none" };
  // The tables hold nothing but the AI SDK's own words.
  return ask.type === "word" ? { reasoning: ask.word as AiSdkReasoning } : {};
}

/** Whether the results at the end are those of another model's calls. Some models refuse to think on from what they have not thought. */
function isForeignStep({ messages }: ProviderRequest, target: TargetOrigin): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const asked = messages.findLast((message) => message.role === "assistant");
  return asked !== undefined && !readableOf(asked.origin, target).thinking;
}

/** Which levels there are, without what the vendor calls them. */
function levelsIn({ thinking }: ModelFacts = {}): Pick<ModelFacts, "thinking"> {
  if (thinking === undefined) return {};
  if (thinking === false) return { thinking };
  const levels = Object.entries(thinking).map(([level, entry]) => [
    level,
    entry === null ? null : level === "off" ? "none" : level,
  ]);
  return { thinking: Object.fromEntries(levels) as LevelTable };
}
