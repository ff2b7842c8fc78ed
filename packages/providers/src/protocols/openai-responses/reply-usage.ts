/** Converts the vendor's token counts: cached and reasoning tokens are included in the others. */
import type { Usage } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { countAt, isObject } from "../../wire/wire-json.ts";

export function toUsage(usage: JsonObject): Usage {
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  const inputTokens = countAt(usage, "input_tokens");
  const outputTokens = countAt(usage, "output_tokens");
  const cacheReadTokens = isObject(input) ? countAt(input, "cached_tokens") : undefined;
  const cacheWriteTokens = isObject(input) ? countAt(input, "cache_write_tokens") : undefined;
  const reasoningTokens = isObject(output) ? countAt(output, "reasoning_tokens") : undefined;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
