/** Lists without spare room, for sessions at rest. */

/** Copying a longer list would cost more than its spare room. */
const maxItems = 64;

/** A list without the room that V8 keeps for more items, which is for 17 from the first on. A long list is returned as it is. */
export function trimmed<T>(list: T[]): T[] {
  return list.length > maxItems ? list : list.slice();
}
