/** Plans the output format: enforced by the vendor if possible, otherwise described to the model. */
import type { JsonSchema, ProviderStreamOptions } from "@capstan/kernel";
import { tellSchema } from "../../projection/told-schema.ts";
import type { ClaudeTraits } from "./claude-models.ts";
import type { ThinkingPlan } from "./encode-thinking.ts";
import { toOutputSchema } from "./output-schema.ts";
import type { TextBlock, WireOutputConfig } from "./request.ts";

export interface OutputPlan {
  readonly config: WireOutputConfig | undefined;
  /** Appended to the system prompt. */
  readonly told: readonly TextBlock[];
}

export function planOutput(
  { output }: ProviderStreamOptions,
  { effort }: ThinkingPlan,
  { takesOutputFormat }: ClaudeTraits,
): OutputPlan {
  const wanted = output?.schema;
  const schema = wanted && takesOutputFormat ? toOutputSchema(wanted) : undefined;
  const isConfigured = effort !== undefined || schema !== undefined;
  const config: WireOutputConfig = {
    ...(effort !== undefined && { effort }),
    ...(schema && { format: { type: "json_schema", schema } }),
  };
  return {
    config: isConfigured ? config : undefined,
    told: wanted && !schema ? [tell(wanted)] : [],
  };
}

function tell(schema: JsonSchema): TextBlock {
  return { type: "text", text: tellSchema(schema) };
}
