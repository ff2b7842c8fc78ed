/** Takes turns between things to measure, in a new random order each round, and gives the median of each. */

export async function interleave<T>(
  things: readonly T[],
  rounds: number,
  measure: (thing: T) => Promise<number>,
): Promise<Map<T, number>> {
  const values = new Map<T, number[]>(things.map((thing) => [thing, []]));
  for (let round = 0; round < rounds; round++) {
    for (const thing of shuffled(things)) values.get(thing)?.push(await measure(thing));
  }
  return new Map(Array.from(values, ([thing, measured]) => [thing, median(measured)]));
}

function shuffled<T>(things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ thing }) => thing);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
