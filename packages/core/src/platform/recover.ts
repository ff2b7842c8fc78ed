/** A `catch` for work that is done at once where nothing has to be waited for: with a memory store nothing is put off. */
import { isPromise, toPromise } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";

/** What goes wrong, now or later, is given to `onError`, whose value or failure stands for it. */
export function recover<T>(
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
