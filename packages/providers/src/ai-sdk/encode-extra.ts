/** Options for this model only, or for AI SDK models. */
import type { ProviderStreamOptions } from "@capstan/kernel";
import { vendorOptionsOf } from "../wire/merge-extra.ts";
import type { TargetOrigin } from "../wire/protocol.ts";
import { isStrict } from "../projection/openai-strict-schema.ts";
import { toObjectSchema } from "../projection/wrapped-output.ts";
import { toClosedSchema } from "./closed-schema.ts";
import { optionsOf } from "./encode-native.ts";
import type { AiSdkCallOptions, AiSdkSampling } from "./model.ts";

/** Settings the AI SDK has a field for: all but the service tier, which is a provider option. */
export function samplingIn(options: ProviderStreamOptions): AiSdkSampling {
  const { topP, topK, seed, frequencyPenalty, presencePenalty, stop } = options;
  return {
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
  };
}

/** Vendors whose packages request strict mode for every schema, although some schemas cannot be strict. */
const strictVendors: readonly string[] = ["openai", "azure"];

export function providerOptionsFor(
  { providerOptions: given = {}, output }: ProviderStreamOptions,
  target: TargetOrigin,
): Pick<AiSdkCallOptions, "providerOptions"> {
  const names = Object.keys(given);
  const { providerOptions: stated = {} } = optionsOf({
    providerOptions: Object.fromEntries(
      names.map((name) => [name, vendorOptionsOf({ providerOptions: given }, name)]),
    ),
  });
  const isLoose = output !== undefined && !isStrict(toClosedSchema(toObjectSchema(output.schema)));
  const vendor = strictVendors.find((name) => isLoose && target.provider.startsWith(name));
  const options =
    vendor === undefined
      ? stated
      : { ...stated, [vendor]: { strictJsonSchema: false, ...stated[vendor] } };
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}
