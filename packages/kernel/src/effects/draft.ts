/** How values are built on hot paths. What outlives a model call starts as a copy of a blank: see decision 0004. */

/** A value while it is being built. Optional fields are set one by one: spreading them costs more. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Of objects from the first on: an empty literal is a list of small numbers. */
const blankList: unknown[] = [undefined];
blankList.pop();

/** An empty list that comes from no literal. */
export function emptyList<T>(): T[] {
  return blankList.slice() as T[];
}
