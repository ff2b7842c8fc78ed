/** Lists without spare room. V8 gives a list that grows room for 17 items at first: most lists of a session are shorter, and it has many. */

/** Up to this number of items, a new list for each addition costs little. */
const fewItems = 8;
/** Copying a longer list would cost more than its spare room. */
const maxTrimmed = 64;

/** The list with this item: a new list as long as it is short, otherwise the same one. */
export function appended<T>(list: T[], item: T): T[] {
  if (list.length < fewItems) return list.concat([item]);
  list.push(item);
  return list;
}

/** The list without spare room. A long list is returned as it is. */
export function trimmed<T>(list: T[]): T[] {
  return list.length > maxTrimmed ? list : list.slice();
}
