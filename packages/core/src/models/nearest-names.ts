/** Names that look like one that nobody knows. Names of models are long: what counts is how much of them they have in common. */

const maxNames = 3;
const minLikeness = 0.55;

/** The likest first; none, if none is like it. */
export function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = pairsOf(name);
  return known
    .map((candidate) => ({ candidate, likeness: likenessOf(wanted, name, candidate) }))
    .filter(({ likeness }) => likeness >= minLikeness)
    .toSorted((a, b) => b.likeness - a.likeness || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxNames)
    .map(({ candidate }) => candidate);
}

/** A name without its vendor is compared without it, too. */
function likenessOf(wanted: ReadonlySet<string>, name: string, candidate: string): number {
  const id = candidate.slice(candidate.indexOf("/") + 1);
  const compared = name.includes("/") ? [candidate] : [candidate, id];
  return Math.max(...compared.map((text) => share(wanted, pairsOf(text))));
}

/** The part of both that both have, from 0 to 1. */
function share(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = Array.from(one).filter((pair) => other.has(pair)).length;
  return (2 * common) / (one.size + other.size);
}

/** Neighbouring characters, with the place of each repetition. */
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
