/** Several models as one: another takes over where one fails before it has shown anything. */
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { VendorModel } from "./vendor-function.ts";

export type { VendorModel } from "./vendor-function.ts";

/** Failures of a service or of a key. What a request itself is wrong about is not asked of another. */
const passedOn: ReadonlySet<string> = new Set([
  "overloaded",
  "rate_limit",
  "network",
  "auth",
  "protocol",
]);

/** Parts that nobody sees. */
const silent: ReadonlySet<ProviderPart["type"]> = new Set(["start", "ping", "usage"]);

/**
 * Asks the first model; where it fails before it has said anything, the next, and so on. Once something was shown, the attempt fails,
 * visibly; the second attempt of a step begins with the second model. The name and the limits are those of the first.
 */
export function withFallback(models: readonly [VendorModel, ...VendorModel[]]): VendorModel {
  const [{ provider, id }] = models;
  const contract: ProviderContract = {
    ...provider,
    stream: (request) => answer(models, request),
  };
  return { provider: contract, id };
}

async function* answer(
  models: readonly VendorModel[],
  request: ProviderRequest,
): AsyncGenerator<ProviderPart, void> {
  const from = (request.attempt - 1) % models.length;
  for (const [place, model] of [...models.slice(from), ...models.slice(0, from)].entries()) {
    let hasSpoken = false;
    try {
      for await (const part of model.provider.stream(addressed(request, model))) {
        hasSpoken ||= !silent.has(part.type);
        yield part;
      }
      return;
    } catch (thrown) {
      const isLast = place === models.length - 1;
      const isPassedOn = thrown instanceof ProviderError && passedOn.has(thrown.code);
      if (hasSpoken || isLast || !isPassedOn || request.signal.aborted) throw thrown;
    }
  }
}

/** Facts of one model are none of another. What is made when it is read stays so. */
function addressed(request: ProviderRequest, { id }: VendorModel): ProviderRequest {
  if (id === request.options.model) return request;
  const { modelFacts: _, apiKey: _key, ...options } = request.options;
  const { tools, toolChoice, conversationId, turnId, step, attempt } = request;
  return {
    get messages() {
      return request.messages;
    },
    get signal() {
      return request.signal;
    },
    tools,
    ...(toolChoice !== undefined && { toolChoice }),
    options: { ...options, model: id },
    conversationId,
    turnId,
    step,
    attempt,
  };
}
