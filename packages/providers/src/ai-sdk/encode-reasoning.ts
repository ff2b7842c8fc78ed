/** Encodes the requested thinking level. */
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

/** Uses the AI SDK's words, which its providers map to the model. Levels the model is known to lack are not requested. */
export function reasoningOption(
  request: ProviderRequest,
  target: TargetOrigin,
): Pick<AiSdkCallOptions, "reasoning"> {
  const { thinkingLevel, modelFacts } = request.options;
  if (thinkingLevel === undefined || isForeignStep(request, target)) return {};
  const ask = askFor({ thinkingLevel, modelFacts: levelsIn(modelFacts) }, words, false);
  if (ask.type === "off") return { reasoning: "none" };
  // The tables contain only the AI SDK's own words.
  return ask.type === "word" ? { reasoning: ask.word as AiSdkReasoning } : {};
}

/** Whether the trailing results answer another model's calls. Some models refuse to continue thinking that is not their own. */
function isForeignStep({ messages }: ProviderRequest, target: TargetOrigin): boolean {
  if (messages.at(-1)?.role !== "tool") return false;
  const asked = messages.findLast((message) => message.role === "assistant");
  return asked !== undefined && !readableOf(asked.origin, target).thinking;
}

/** The available levels, without the vendor's names for them. */
function levelsIn({ thinking }: ModelFacts = {}): Pick<ModelFacts, "thinking"> {
  if (thinking === undefined) return {};
  if (thinking === false) return { thinking };
  const levels = Object.entries(thinking).map(([level, entry]) => [
    level,
    entry === null ? null : level === "off" ? "none" : level,
  ]);
  return { thinking: Object.fromEntries(levels) as LevelTable };
}
