/** Promises only if a store needs them: with the memory store, work is done in the same tick, which saves a quarter of a turn's cost. */
import { isPromise, toPromise } from "@capstan/kernel";
import type { MaybePromise } from "./repository.ts";

/** Calls `use` with the value, in this tick if the value is not a promise. */
export function andThen<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return isPromise(value) ? toPromise(value).then(use) : use(value);
}

/** Does the work. If it throws or rejects, returns the result of `onError`. */
export function orElse<T>(
  work: () => MaybePromise<T>,
  onError: (thrown: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const worked = work();
    return isPromise(worked) ? toPromise(worked).catch(onError) : worked;
  } catch (thrown) {
    return onError(thrown);
  }
}
