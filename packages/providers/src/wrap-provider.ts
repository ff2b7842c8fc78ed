/** `@capstan/providers/wrap-provider`: observes, changes or replaces the requests, parts and errors of a provider. */
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";

/** All hooks are optional and may be async. If one throws, the attempt fails as with a provider error. */
export interface ProviderHooks {
  /** Called with each request before it is sent. A request it returns is sent instead; to change one, spread it. */
  readonly request?: (
    request: ProviderRequest,
  ) => ProviderRequest | undefined | void | Promise<ProviderRequest | undefined | void>;
  /**
   * Gets the parts of a reply, and returns the parts for the turn. The provider is asked only when `parts` is read: a hook that returns its
   * own parts, for example from a cache, sends no request. `request` is the request as sent. A turn stops reading at `finish`, so do any
   * final work before yielding that part, or in a `finally`.
   */
  readonly parts?: (
    parts: AsyncIterable<ProviderPart>,
    request: ProviderRequest,
  ) => AsyncIterable<ProviderPart> | Promise<AsyncIterable<ProviderPart>>;
  /** Called with the error of a failed attempt. An error it returns is thrown instead. Aborts are not reported. */
  readonly error?: (
    error: unknown,
    request: ProviderRequest,
  ) => Error | undefined | void | Promise<Error | undefined | void>;
}

/** Adds hooks to a provider. Wrappers can be nested: the outermost sees the request first. */
export function wrapProvider(provider: ProviderContract, hooks: ProviderHooks): ProviderContract {
  return { ...provider, stream: (request) => ask(provider, hooks, request) };
}

async function* ask(
  provider: ProviderContract,
  hooks: ProviderHooks,
  given: ProviderRequest,
): AsyncGenerator<ProviderPart, void> {
  let request = given;
  try {
    request = (await hooks.request?.(given)) ?? given;
    const parts = whenRead(() => provider.stream(request));
    yield* hooks.parts === undefined ? parts : await hooks.parts(parts, request);
  } catch (thrown) {
    if (hooks.error === undefined || given.signal.aborted) throw thrown;
    throw (await hooks.error(thrown, request)) ?? thrown;
  }
}

function whenRead(stream: () => AsyncIterable<ProviderPart>): AsyncIterable<ProviderPart> {
  return { [Symbol.asyncIterator]: () => stream()[Symbol.asyncIterator]() };
}
