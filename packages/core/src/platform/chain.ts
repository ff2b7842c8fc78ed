/** Goes on with a value that a store may give at once: with a memory store nothing waits, and nothing is put off. */
import { isPromise, toPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";

export function chain<T, R>(
  value: MaybePromise<T>,
  use: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return isPromise(value) ? toPromise(value).then(use) : use(value);
}
