/** Encodes a request for an AI SDK model. */
import type { OutputFormat, ProviderRequest } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import { toObjectSchema } from "../projection/wrapped-output.ts";
import { toClosedSchema } from "./closed-schema.ts";
import { toModelTool } from "./declared-tool.ts";
import { providerOptionsFor, samplingIn } from "./encode-extra.ts";
import { encodePrompt } from "./encode-prompt.ts";
import { reasoningOption } from "./encode-reasoning.ts";
import type { AiSdkCallOptions, AiSdkModel } from "./model.ts";
import type { MessageV3 } from "./older-prompt.ts";
import { toPromptV3 } from "./older-prompt.ts";

/** Call options of version 3 of the interface, which has no reasoning setting. */
export interface OlderCallOptions extends Omit<AiSdkCallOptions, "prompt" | "reasoning"> {
  readonly prompt: MessageV3[];
}

export function encodeRequest(
  model: AiSdkModel,
  request: ProviderRequest,
  target: TargetOrigin,
  abortSignal: AbortSignal,
): AiSdkCallOptions | OlderCallOptions {
  const { options } = request;
  const common = {
    ...samplingIn(options),
    ...(options.maxTokens !== undefined && { maxOutputTokens: options.maxTokens }),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.output && { responseFormat: toResponseFormat(options.output) }),
    ...(options.headers && { headers: { ...options.headers } }),
    ...toolOptions(request),
    ...providerOptionsFor(options, target),
    abortSignal,
  };
  const prompt = encodePrompt(request, target);
  if (model.specificationVersion === "v3") return { ...common, prompt: toPromptV3(prompt) };
  return { ...common, prompt, ...reasoningOption(request, target) };
}

function toolOptions({
  tools,
  toolChoice: ordered,
  options,
}: ProviderRequest): Pick<AiSdkCallOptions, "tools" | "toolChoice"> {
  if (tools.length === 0) return {};
  const choice = ordered ?? options.toolChoice;
  const toolChoice =
    typeof choice === "object"
      ? { type: "tool" as const, toolName: choice.tool }
      : choice && { type: choice };
  return { tools: tools.map(toModelTool), ...(toolChoice && { toolChoice }) };
}

function toResponseFormat({
  name,
  schema,
}: OutputFormat): NonNullable<AiSdkCallOptions["responseFormat"]> {
  return { type: "json", name, schema: toClosedSchema(toObjectSchema(schema)) };
}
