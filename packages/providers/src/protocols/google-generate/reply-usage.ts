/** Converts the vendor's token counts: thoughts are counted apart from the answer, and tool input apart from the prompt. */
import type { Usage } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { countAt } from "../../wire/wire-json.ts";

export function toUsage(usage: JsonObject): Usage {
  const prompt = countAt(usage, "promptTokenCount");
  const ofTools = countAt(usage, "toolUsePromptTokenCount") ?? 0;
  const answer = countAt(usage, "candidatesTokenCount");
  const reasoningTokens = countAt(usage, "thoughtsTokenCount");
  const cacheReadTokens = countAt(usage, "cachedContentTokenCount");
  const hasOutput = answer !== undefined || reasoningTokens !== undefined;
  return {
    ...(prompt !== undefined && { inputTokens: prompt + ofTools }),
    // The vendor omits the count if the answer has no tokens.
    ...((hasOutput || prompt !== undefined) && {
      outputTokens: (answer ?? 0) + (reasoningTokens ?? 0),
    }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
