/** Helpers to build values on hot paths. Values that outlive a model call start as a copy of a blank: see decision 0004. */

/** A value under construction. Optional fields are set one by one: spreading them costs more. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Typed as a list of objects from the start: V8 types an empty literal as a list of small integers. */
const blankList: unknown[] = [undefined];
blankList.pop();

/** Returns an empty list that does not come from a literal. */
export function emptyList<T>(): T[] {
  return blankList.slice() as T[];
}
