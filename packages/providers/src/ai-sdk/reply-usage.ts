/** Converts the usage of a reply as the model reports it. */
import type { Usage } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields } from "./fields.ts";

/** Returns undefined if nothing was counted. */
export function toUsage(usage: unknown): Usage | undefined {
  if (!isFields(usage)) return undefined;
  const input = countsIn(usage["inputTokens"]);
  const output = countsIn(usage["outputTokens"]);
  const counts: Usage = {
    ...(isCount(input["total"]) && { inputTokens: input["total"] }),
    ...(isCount(output["total"]) && { outputTokens: output["total"] }),
    ...(isCount(input["cacheRead"]) && { cacheReadTokens: input["cacheRead"] }),
    ...(isCount(input["cacheWrite"]) && { cacheWriteTokens: input["cacheWrite"] }),
    ...(isCount(output["reasoning"]) && { reasoningTokens: output["reasoning"] }),
  };
  return Object.keys(counts).length === 0 ? undefined : counts;
}

function countsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
