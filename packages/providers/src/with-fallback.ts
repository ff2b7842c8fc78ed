/** `@capstan/providers/with-fallback`: several models as one; if one fails, the next takes over. */
import type {
  FallbackModel,
  ProviderContract,
  ProviderErrorCode,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import type { VendorModel } from "./vendors/vendor-function.ts";

export type { VendorModel } from "./vendors/vendor-function.ts";

/** Options of `withFallback`: the error codes that move on to the next model. */
export interface FallbackOptions {
  /**
   * Error codes after which the next model is asked. Default: failures of a service or of a key: `overloaded`, `rate_limit`, `network`,
   * `auth` and `protocol`. An invalid request would be invalid for the next model too.
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
 * Asks the first model. A listed failure visibly discards the attempt, and the next attempt asks the next model at once; the turn stays
 * with the model that answered. Once all have failed, the agent's retry policy decides whether to ask them again. Each model is asked with its
 * own key, facts and options, and its usage is counted as its own. Name and limits are the first model's. A later turn starts with the first again.
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

/** Replaces a model that has fallbacks by its individual models. */
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

/** Outside of a turn there is no `modelIndex`: the first model is asked. */
function ask(
  models: readonly FallbackModel[],
  { modelIndex = 0, ...request }: ProviderRequest,
): AsyncIterable<ProviderPart> {
  const model = models[modelIndex];
  if (model === undefined) throw new RangeError(`No fallback model at index ${modelIndex}`);
  const { model: _, ...options } = request.options;
  return model.provider.stream({
    ...request,
    options: { ...options, ...(model.id !== "" && { model: model.id }) },
  });
}
