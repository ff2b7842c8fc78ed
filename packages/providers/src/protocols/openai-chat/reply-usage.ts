/** Token counts, wherever a server puts them. They may come more than once: the last ones replace the others. */
import type { Usage } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { countAt, isObject } from "../../wire/wire-json.ts";

/** Counts in a chunk or in a complete reply; undefined if it has none. */
export function usageIn(chunk: JsonObject): JsonObject | undefined {
  const { usage, x_groq: groq } = chunk;
  if (isObject(usage)) return usage;
  return isObject(groq) && isObject(groq["usage"]) ? groq["usage"] : undefined;
}

/** `isReasoningApart`: the vendor does not include reasoning in the output tokens. */
export function toUsage(usage: JsonObject, isReasoningApart: boolean): Usage {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const inputTokens = countAt(usage, "prompt_tokens");
  const output = countAt(usage, "completion_tokens");
  const cached = isObject(prompt) ? countAt(prompt, "cached_tokens") : undefined;
  const cacheReadTokens = cached ?? countAt(usage, "prompt_cache_hit_tokens");
  const cacheWriteTokens = isObject(prompt) ? countAt(prompt, "cache_write_tokens") : undefined;
  const reasoningTokens = isObject(completion)
    ? countAt(completion, "reasoning_tokens")
    : undefined;
  const outputTokens =
    output === undefined ? undefined : output + (isReasoningApart ? (reasoningTokens ?? 0) : 0);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
