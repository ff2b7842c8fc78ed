/** Suggests names similar to an unknown one. Names of models are long, so the shared part decides. */

const maxNames = 3;
const minLikeness = 0.55;

/** Most similar names first; empty if none is similar. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = pairsOf(name);
  return known
    .map((candidate) => ({ candidate, likeness: likenessOf(wanted, name, candidate) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .toSorted((a, b) => b.likeness - a.likeness || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** A name without a vendor is also compared with names without theirs. */
function likenessOf(wanted: ReadonlySet<string>, name: string, candidate: string): number {
  const id = candidate.slice(candidate.indexOf("/") + 1);
  const compared = name.includes("/") ? [candidate] : [candidate, id];
  return Math.max(...compared.map((text) => share(wanted, pairsOf(text))));
}

/** Share that both have in common, from 0 to 1. */
function share(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = Array.from(one).filter((pair) => other.has(pair)).length;
  return (2 * common) / (one.size + other.size);
}

/** Pairs of neighbouring characters, with the number of each repetition. */
function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  const word = ` ${text.toLowerCase()} `;
  for (let place = 0; place + 1 < word.length; place++) {
    let pair = word.slice(place, place + 2);
    while (pairs.has(pair)) pair += "+";
    pairs.add(pair);
  }
  return pairs;
}
