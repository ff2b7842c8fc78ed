/** Converts the vendor's token counts. */
import type { Usage } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { countAt, isObject } from "../../wire/wire-json.ts";

/** The vendor counts cache reads and cache writes apart from other input. */
export function toUsage(usage: JsonObject): Usage {
  const input = countAt(usage, "input_tokens");
  const cacheReadTokens = countAt(usage, "cache_read_input_tokens");
  const cacheWriteTokens = countAt(usage, "cache_creation_input_tokens");
  const outputTokens = countAt(usage, "output_tokens");
  const details = usage["output_tokens_details"];
  const reasoningTokens = isObject(details) ? countAt(details, "thinking_tokens") : undefined;
  return {
    ...(input !== undefined && {
      inputTokens: input + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}
