/** Models of the AI SDK as models of ours. */
import { ProviderError } from "@capstan/kernel";
import type { VendorModel } from "../vendors/vendor-function.ts";
import { isFields, textIn } from "./fields.ts";
import type { AiSdkModel } from "./model.ts";
import { ReplyReader } from "./reply-reader.ts";

export interface FromAiSdkOptions {
  /** Whether replies are streamed; default true. */
  readonly stream?: boolean;
}

/**
 * Any language model of the AI SDK, for `createAgent({ model })`. Its key, its address and its retries are the business of whoever made the model.
 * What only its provider knows goes into the request by `providerOptions: { openai: { … } }`, under the name that the provider has for it.
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): VendorModel {
  requireModel(model);
  const { provider: id, modelId } = model;
  const { stream: isStreaming = true } = options;
  const stream: VendorModel["provider"]["stream"] = (request) =>
    new ReplyReader(model, request, isStreaming);
  return { provider: { id, stream }, id: modelId };
}

const known: ReadonlySet<unknown> = new Set(["v3", "v4"]);

/** Programs without types give anything. */
function requireModel(model: unknown): void {
  const fields = isFields(model) ? model : {};
  const { specificationVersion: version } = fields;
  if (known.has(version)) return;
  const name = textIn(fields, "modelId");
  throw new ProviderError(
    "invalid_request",
    name === undefined
      ? `fromAiSdk takes a language model of the AI SDK, as openai("gpt-5") of @ai-sdk/openai gives it, and not ${describe(model)}`
      : `The model "${name}" speaks version ${JSON.stringify(version)} of the AI SDK's interface, and fromAiSdk knows v3 and v4: use a version of its package that has one of them`,
  );
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value;
}
