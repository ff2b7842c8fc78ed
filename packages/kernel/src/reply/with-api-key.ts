/** A provider that asks for its key before each request. */
import type { ProviderContract } from "../contracts/provider.ts";
import { TurnError } from "../errors/errors.ts";
import { isPromise } from "../effects/is-promise.ts";

/** Gives the key for a provider, by its id; undefined leaves it to what the provider has. */
export type GetApiKey = (providerId: string) => string | undefined | Promise<string | undefined>;

/** The key is asked for the provider of the model that is called. `limited` may set a limit to the wait. */
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

/** Code without types may return anything. */
function wrongKey(returned: unknown): TurnError {
  const message = `getApiKey returned a value of type ${typeof returned}: return a string, or undefined for no key`;
  return new TurnError("callback_failed", message);
}
