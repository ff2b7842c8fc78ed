/** `@capstan/providers/with-fallback`: several models as one, of which another takes over where one fails. */
import type {
  FallbackModel,
  ProviderContract,
  ProviderErrorCode,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import type { VendorModel } from "./vendors/vendor-function.ts";

export type { VendorModel } from "./vendors/vendor-function.ts";

export interface FallbackOptions {
  /**
   * Codes of errors after which the next model is asked. Default: failures of a service or of a key, which are `overloaded`, `rate_limit`, `network`,
   * `auth` and `protocol`. A request that is wrong by itself would be wrong for another model as well.
   */
  readonly on?: readonly ProviderErrorCode[];
}

const defaultCodes: readonly ProviderErrorCode[] = [
  "overloaded",
  "rate_limit",
  "network",
  "auth",
  "protocol",
];

/**
 * Asks the first model. A failure that is listed discards the attempt, visibly, and the next attempt asks the next model, at once; the turn stays
 * with the model that answered. Once all have failed, the agent's retry policy decides whether they are asked again. Each is asked with its own key,
 * facts and options, and what it uses is counted as its own. The name and the limits are those of the first. A later turn begins with the first again.
 */
export function withFallback(
  models: readonly [VendorModel, ...VendorModel[]],
  { on = defaultCodes }: FallbackOptions = {},
): VendorModel {
  const [{ provider, id }] = models;
  const flat = models.flatMap(flattened);
  const contract: ProviderContract = {
    ...provider,
    fallback: { models: flat, on },
    stream: (request) => ask(flat, request),
  };
  return { provider: contract, id };
}

/** Models of a model that falls back on others, each by itself. */
function flattened(model: VendorModel): readonly FallbackModel[] {
  const { provider } = model;
  const { fallback, ...outer } = provider;
  if (fallback === undefined) return [model];
  return fallback.models.map((inner, modelIndex) => ({
    ...inner,
    provider: {
      ...outer,
      ...inner.provider,
      stream: (request) => provider.stream({ ...request, modelIndex }),
    },
  }));
}

/** Outside of a turn nothing says which one: then it is the first. */
function ask(
  models: readonly FallbackModel[],
  { modelIndex = 0, ...request }: ProviderRequest,
): AsyncIterable<ProviderPart> {
  const model = models[modelIndex];
  if (model === undefined) throw new RangeError(`There is no model ${modelIndex} to fall back on`);
  const { model: _, ...options } = request.options;
  return model.provider.stream({
    ...request,
    options: { ...options, ...(model.id !== "" && { model: model.id }) },
  });
}
