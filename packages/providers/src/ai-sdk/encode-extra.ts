/** What the caller has for this model alone, or for models of the AI SDK. */
import type { JsonValue, Origin, ProviderStreamOptions } from "@capstan/kernel";
import { isStrict } from "../protocols/openai-strict-schema.ts";
import { isObject } from "../wire-json.ts";
import { toClosedSchema } from "./closed-schema.ts";
import { optionsOf } from "./encode-native.ts";
import type { AiSdkCallOptions, AiSdkSampling } from "./model.ts";

/** Where in `extra` the settings are that all models have: the names of others are those of their providers. */
const ownExtra = "ai-sdk";

const numbers = ["topP", "topK", "seed", "presencePenalty", "frequencyPenalty"] as const;

export function samplingIn({ extra }: ProviderStreamOptions): AiSdkSampling {
  const own = extra?.[ownExtra];
  if (!isObject(own)) return {};
  const stated = numbers.filter((name) => typeof own[name] === "number");
  const { stopSequences = null } = own;
  return {
    ...Object.fromEntries(stated.map((name) => [name, own[name]])),
    ...(isTexts(stopSequences) && { stopSequences: [...stopSequences] }),
  };
}

function isTexts(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Their packages ask to hold the model to every schema, and there are schemas that it cannot be held to. */
const strictVendors: readonly string[] = ["openai", "azure"];

export function providerOptionsFor(
  { extra = {}, output }: ProviderStreamOptions,
  target: Required<Origin>,
): Pick<AiSdkCallOptions, "providerOptions"> {
  const others = Object.entries(extra).filter(([name]) => name !== ownExtra);
  const { providerOptions: stated = {} } = optionsOf({
    providerOptions: Object.fromEntries(others),
  });
  const isLoose = output !== undefined && !isStrict(toClosedSchema(output.schema));
  const vendor = strictVendors.find((name) => isLoose && target.provider.startsWith(name));
  const options =
    vendor === undefined
      ? stated
      : { ...stated, [vendor]: { strictJsonSchema: false, ...stated[vendor] } };
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}
