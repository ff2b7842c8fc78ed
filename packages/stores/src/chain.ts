/** Goes on with a value at once, or later if it is a promise: a store that need not wait answers at once. */
import type { MaybePromise } from "@capstan/log";
import { isPromise } from "@capstan/log";

export function chain<T, U>(
  value: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? value.then(goOn) : goOn(value);
}

/** Runs, and gives what is thrown, now or later, to `recover`. */
export function recovering<T>(
  run: () => MaybePromise<T>,
  recover: (thrown: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  let value: MaybePromise<T>;
  try {
    value = run();
  } catch (thrown) {
    return recover(thrown);
  }
  return isPromise(value) ? value.then((done) => done, recover) : value;
}
