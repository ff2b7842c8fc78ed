/** What a provider threw, for callers who want the error itself: a turn tells only what can be written down of it. */
import type { ProviderContract, ProviderPart } from "@capstan/kernel";

export interface KeptFailure {
  /** The same provider. */
  readonly provider: ProviderContract;
  /** What its last attempt threw, if it threw. */
  thrown(): unknown;
}

export function keepFailure(provider: ProviderContract): KeptFailure {
  let kept: unknown;
  const keep = (thrown: unknown): never => {
    kept = thrown;
    // As it came: it is the provider's.
    throw thrown as Error;
  };
  return {
    provider: {
      ...provider,
      stream(request) {
        kept = undefined;
        const parts = provider.stream(request)[Symbol.asyncIterator]();
        const iterator: AsyncIterator<ProviderPart> = {
          next: () => parts.next().catch(keep),
          return: () => parts.return?.() ?? Promise.resolve({ value: undefined, done: true }),
        };
        return { [Symbol.asyncIterator]: () => iterator };
      },
    },
    thrown: () => kept,
  };
}
