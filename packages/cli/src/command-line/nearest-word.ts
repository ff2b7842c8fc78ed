/** Suggests the word a user most likely meant by a misspelled one. */

/** Returns a candidate that starts with `word`, else the nearest one within `maxEdits`, if more than half of `word` stays unchanged. */
export function nearestWord(
  word: string,
  candidates: readonly string[],
  maxEdits = 2,
): string | undefined {
  const longer = candidates.find((candidate) => word !== "" && candidate.startsWith(word));
  if (longer !== undefined) return longer;
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ distance }) => distance <= maxEdits && distance * 2 < word.length)
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.candidate;
}

/** Counts insertions, deletions, replacements and swaps of adjacent characters. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const distances = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(row - 2, column - 2) + 1 : Infinity,
      ];
      rows[row]?.push(Math.min(...distances));
    }
  }
  return at(from.length, to.length);
}
