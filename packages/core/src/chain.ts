/** Goes on with a value that a store may give at once: with a memory store nothing waits, and nothing is put off. */
import type { MaybePromise } from "@capstan/log";
import { isPromise } from "@capstan/log";

export function chain<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return isPromise(value) ? Promise.resolve(value).then(use) : use(value);
}
