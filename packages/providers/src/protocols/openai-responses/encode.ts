/** Encodes a request. */
import type { ProviderRequest, ToolChoice, ToolDeclaration } from "@capstan/kernel";
import { mergeExtra, vendorOptionsOf } from "../../wire/merge-extra.ts";
import { nothingToSay } from "../../projection/nothing-to-say.ts";
import type { Target, WireRequest } from "../../wire/protocol.ts";
import { askFor } from "../../projection/thinking-levels.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf } from "../../wire/wire-json.ts";
import { toCacheKey } from "../openai-cache-key.ts";
import { toStrictSchema } from "../../projection/openai-strict-schema.ts";
import type { OutputPlan } from "../../projection/wrapped-output.ts";
import { planOutput } from "../../projection/wrapped-output.ts";
import { encodeItems } from "./encode-items.ts";
import type { GptTraits } from "./gpt-models.ts";
import { traitsOf } from "./gpt-models.ts";
import { reasoningSummary } from "./reasoning-summary.ts";
import type { Effort, ResponsesRequest, WireFormat, WireTool, WireToolChoice } from "./request.ts";

/** Fields the caller cannot override: the reply could not be decoded. */
const reserved = ["input", "stream", "store", "background", "previous_response_id", "conversation"];
const minOutputTokens = 16;

/** The vendor rejects any other word. */
type ServiceTier = NonNullable<ResponsesRequest["service_tier"]>;

export function encode(request: ProviderRequest, target: Target): WireRequest {
  const { options } = request;
  const { model, provider } = target.origin;
  const { modelFacts: facts, systemPrompt, sessionId, maxTokens, serviceTier } = options;
  const extra = vendorOptionsOf(options, provider);
  const traits = traitsOf(model, facts);
  const { items, partAt } = encodeItems(request.messages, target, facts);
  if (items.length === 0) throw nothingToSay(target);
  const tools = request.tools.map(toWireTool);
  const choice = toWireChoice(request.toolChoice ?? options.toolChoice);
  const output = options.output && planOutput(options.output);
  const hasTools = tools.length > 0;
  const mayCall = tools.length + listOf(extra["tools"]).length > 0;
  // Constant fields first, growing fields after them.
  const body: ResponsesRequest = {
    model,
    stream: target.isStreaming,
    store: false,
    ...reasoningOf(request, traits),
    ...(output && { text: { format: toFormat(output) } }),
    ...(!traits.isReasoning && samplingOf(options)),
    ...(maxTokens !== undefined && { max_output_tokens: Math.max(minOutputTokens, maxTokens) }),
    ...(serviceTier !== undefined && { service_tier: serviceTier as ServiceTier }),
    ...(sessionId !== undefined && { prompt_cache_key: toCacheKey(sessionId) }),
    ...(hasTools && { tools }),
    ...(systemPrompt !== undefined && { instructions: systemPrompt }),
    input: items,
    ...(mayCall && choice !== undefined && { tool_choice: choice }),
  };
  // A field that the caller requested by name is never dropped.
  const asked = isObject(extra["reasoning"]) ? extra["reasoning"] : {};
  return {
    path: "/responses",
    // All JSON, except that nothing guarantees it for tool schemas.
    body: mergeExtra(body as unknown as JsonObject, extra, reserved),
    partAt,
    ...(output?.isWrapped === true && { isWrapped: true }),
    ...(body.reasoning?.summary !== undefined &&
      !Object.hasOwn(asked, "summary") && { dispensable: [reasoningSummary] }),
  };
}

/** Reasoning models accept neither. */
function samplingOf({
  temperature,
  topP,
}: ProviderRequest["options"]): Pick<ResponsesRequest, "temperature" | "top_p"> {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
  };
}

/** Requests reasoning in encrypted form, which the model can read back: the vendor stores nothing. */
function reasoningOf(
  { options }: ProviderRequest,
  { isReasoning, levels }: GptTraits,
): Pick<ResponsesRequest, "reasoning" | "include"> {
  if (!isReasoning) return {};
  const ask = askFor(options, levels, false);
  const { thinkingLevel = "off" } = options;
  const reasoning: ResponsesRequest["reasoning"] = {
    ...(ask.type === "word" && { effort: ask.word as Effort }),
    ...(thinkingLevel !== "off" && { summary: "auto" }),
  };
  return {
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    include: ["reasoning.encrypted_content"],
  };
}

function toWireTool({ name, description, inputSchema }: ToolDeclaration): WireTool {
  const strict = toStrictSchema(inputSchema);
  return {
    type: "function",
    name,
    description,
    parameters: strict ?? inputSchema,
    strict: strict !== undefined,
  };
}

function toWireChoice(choice: ToolChoice | undefined): WireToolChoice | undefined {
  return typeof choice === "object" ? { type: "function", name: choice.tool } : choice;
}

function toFormat({ name, schema, strict }: OutputPlan): WireFormat {
  return { type: "json_schema", name, schema, strict };
}
