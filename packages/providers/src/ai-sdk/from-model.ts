/** Converts AI SDK models to ours. */
import { ProviderError } from "@capstan/kernel";
import type { VendorModel } from "../vendors/vendor-function.ts";
import { isFields, textIn } from "./fields.ts";
import type { AiSdkModel } from "./model.ts";
import { ReplyReader } from "./reply-reader.ts";

/** Options of `fromAiSdk`. */
export interface FromAiSdkOptions {
  /** Whether to stream replies. Default true. */
  readonly stream?: boolean;
}

/**
 * Wraps any AI SDK language model for `createAgent({ model })`. The model brings its own key, base URL and retries.
 * Pass provider-specific options as `providerOptions: { openai: { … } }`, under the provider's name for itself.
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

/** Untyped programs can pass anything. */
function requireModel(model: unknown): void {
  const fields = isFields(model) ? model : {};
  const { specificationVersion: version } = fields;
  if (known.has(version)) return;
  const name = textIn(fields, "modelId");
  throw new ProviderError(
    "invalid_request",
    name === undefined
      ? `fromAiSdk expects an AI SDK language model, such as openai("gpt-5") from @ai-sdk/openai, but got ${describe(model)}`
      : `The model "${name}" implements version ${JSON.stringify(version)} of the AI SDK interface, but fromAiSdk supports v3 and v4: use a version of its package that implements one of them`,
  );
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value;
}
