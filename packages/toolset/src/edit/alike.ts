/** Text in which characters that look alike are the same, with the way back to the original. */

export interface AlikeText {
  readonly text: string;
  /** Position in the original at which the character at this position begins. */
  start(position: number): number;
  /** Position in the original after the character at this position. */
  end(position: number): number;
}

/** A character with the marks that combine with it. */
const cluster = /\P{M}\p{M}*|\p{M}+/gu;
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const alike: readonly (readonly [pattern: RegExp, character: string])[] = [
  [spaces, " "],
  [invisible, ""],
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
];

/** Quick test: plain ASCII looks like nothing else. */
const isPlain = /^\p{ASCII}*$/u;

export function toAlike(original: string): AlikeText {
  if (isPlain.test(original)) {
    return { text: original, start: (position) => position, end: (position) => position + 1 };
  }
  const starts: number[] = [];
  const ends: number[] = [];
  let text = "";
  for (const { 0: found, index } of original.matchAll(cluster)) {
    const shown = alikeOf(found);
    for (let at = 0; at < shown.length; at++) {
      starts.push(index);
      ends.push(index + found.length);
    }
    text += shown;
  }
  return {
    text,
    start: (position) => starts[position] ?? original.length,
    end: (position) => ends[position] ?? original.length,
  };
}

function alikeOf(found: string): string {
  let shown = found;
  for (const [pattern, character] of alike) shown = shown.replace(pattern, character);
  return shown.normalize("NFKC");
}

/** Shows characters that cannot be told from others as code points, such as <U+00A0>. */
export function revealed(text: string): string {
  return text.replace(/\P{ASCII}/gu, (character) => {
    const isAlike = alikeOf(character) !== character;
    const isMark = /\p{M}|\p{Cf}/u.test(character);
    return isAlike || isMark ? `<${codePoint(character)}>` : character;
  });
}

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `U+${hex.padStart(4, "0")}`;
}
