/** Keeps the error a provider threw, for callers that want the error itself: a turn reports only its serializable part. */
import type { ProviderContract, ProviderPart } from "@capstan/kernel";

export interface KeptFailure {
  /** The provider to use: it behaves like the original. */
  readonly provider: ProviderContract;
  /** Error of the last attempt, if it threw. */
  thrown(): unknown;
}

export function keepFailure(provider: ProviderContract): KeptFailure {
  let kept: unknown;
  const keep = (thrown: unknown): never => {
    kept = thrown;
    // Rethrown unchanged: it is the provider's error.
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
