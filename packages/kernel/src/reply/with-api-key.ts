/** Wraps a provider so that its API key is requested before each request. */
import type { ProviderContract } from "../contracts/provider.ts";
import { TurnError } from "../errors/errors.ts";
import { isPromise } from "../effects/is-promise.ts";

/** Returns the key for a provider, by its id; undefined uses the provider's own key. */
export type GetApiKey = (providerId: string) => string | undefined | Promise<string | undefined>;

/** Requests the key for the provider of the model that is called. `limited` may limit the wait. */
export function withApiKey(
  provider: ProviderContract,
  getApiKey: GetApiKey | undefined,
  limited: (key: Promise<string | undefined>) => Promise<string | undefined> = (key) => key,
): ProviderContract {
  if (getApiKey === undefined) return provider;
  return {
    ...provider,
    async *stream(request) {
      const { fallback } = provider;
      const asked = fallback?.models[request.modelIndex ?? 0]?.provider ?? provider;
      const key = getApiKey(asked.id);
      const apiKey = isPromise(key) ? await limited(key) : key;
      if (apiKey !== undefined && typeof apiKey !== "string") throw wrongKey(apiKey);
      const { options } = request;
      yield* provider.stream(
        apiKey === undefined ? request : { ...request, options: { ...options, apiKey } },
      );
    },
  };
}

/** Untyped code may return anything. */
function wrongKey(returned: unknown): TurnError {
  const message = `getApiKey returned a value of type ${typeof returned}: return a string, or undefined for no key`;
  return new TurnError("callback_failed", message);
}
