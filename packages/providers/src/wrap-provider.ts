/** `@capstan/providers/wrap-provider`: sees, changes or replaces requests, parts and errors of a provider. */
import type { ProviderContract, ProviderPart, ProviderRequest } from "@capstan/kernel";

/** Each hook is optional, and may be async. What one throws ends the attempt, as an error of the provider does. */
export interface ProviderHooks {
  /** Sees each request before it is sent; what it returns is sent in its place. To change one, spread it. */
  readonly request?: (
    request: ProviderRequest,
  ) => ProviderRequest | undefined | void | Promise<ProviderRequest | undefined | void>;
  /**
   * Gets the parts of a reply, and returns those that the turn gets. The provider is asked once `parts` is read: a hook that returns parts
   * of its own, from a cache, sends no request. `request` is the one that is sent. A turn stops reading at `finish`, so what has to be done
   * then is done before that part is yielded, or in a `finally`.
   */
  readonly parts?: (
    parts: AsyncIterable<ProviderPart>,
    request: ProviderRequest,
  ) => AsyncIterable<ProviderPart> | Promise<AsyncIterable<ProviderPart>>;
  /** Sees what an attempt failed with; an error that it returns is thrown in its place. Aborts are not reported. */
  readonly error?: (
    error: unknown,
    request: ProviderRequest,
  ) => Error | undefined | void | Promise<Error | undefined | void>;
}

/** The same provider with these hooks. Several layers may be put around each other: the outer one sees the request first. */
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
