/** `bash(pattern)`: the words of a command, with wildcards. */
import type { ScriptWord } from "./bash/script.ts";
import type { FoundWord } from "./bash/commands-in.ts";
import { nameOf } from "./programs/examined.ts";
import type { Word } from "./pattern-words.ts";
import { parsePatternWords } from "./pattern-words.ts";

export interface CommandPattern {
  readonly type: "command";
  readonly words: readonly Word[];
  /** True if any further words may follow: the last word was `*`. */
  readonly isOpen: boolean;
}

/** `maybe`: the answer depends on what only the shell knows. */
export type Fit = "yes" | "maybe" | "no";

/** Returns a string, the reason, if the pattern is invalid. */
export function parseCommandRule(pattern: string): CommandPattern | string {
  const read = parsePatternWords(pattern);
  if ("problem" in read) {
    return `${pattern} ${read.problem}: a pattern is the words of one command, quoted as in bash, with * as a wildcard`;
  }
  const isOpen = isWildcard(read.words.at(-1));
  return { type: "command", words: isOpen ? read.words.slice(0, -1) : read.words, isOpen };
}

/** For rules that allow: words that only the shell knows match an open end alone. */
export function fitsWords(
  { words, isOpen }: CommandPattern,
  given: readonly ScriptWord[],
): boolean {
  if (given.length < words.length || (!isOpen && given.length > words.length)) return false;
  return words.every((word, index) => {
    const { text, isKnown } = given[index] ?? { text: "", isKnown: false };
    return isKnown && fitsWord(word, text);
  });
}

/** True if the words at these indexes are in the pattern without a wildcard. The index after the last word means that none may follow. */
export function coversLiterally(
  { words, isOpen }: CommandPattern,
  indexes: readonly number[],
): boolean {
  return indexes.every(
    (index) => words[index]?.length === 1 || (!isOpen && index === words.length),
  );
}

/** True if the pattern names a file, which is another one in another folder. */
export function isBoundToFolder({ words }: CommandPattern): boolean {
  return words.some((word) =>
    word.some((text) => /^[^-/].*\/|\.(?:[cm]?[jt]sx?|py|sh|rb|pl|php|lua)$/.test(text)),
  );
}

/** For rules that deny or ask. */
export function fitOf({ words, isOpen }: CommandPattern, given: readonly FoundWord[]): Fit {
  for (const [index, word] of words.entries()) {
    if (index >= given.length) return "no";
    const one = given[index];
    // The word may expand to any number of words.
    if (one === undefined) return "maybe";
    const isProgram = index === 0;
    if (!fitsWord(word, one) && !(isProgram && fitsWord(word, nameOf(one)))) return "no";
  }
  if (isOpen || given.length === words.length) return "yes";
  // The remaining words may expand to nothing.
  return given.slice(words.length).includes(undefined) ? "maybe" : "no";
}

function isWildcard(word: Word | undefined): boolean {
  return word !== undefined && word.length > 1 && word.every((text) => text === "");
}

/** Matches each piece of the pattern at its first position after the previous one: no backtracking, however long the word is. */
function fitsWord(pattern: Word, word: string): boolean {
  const [first = "", ...others] = pattern;
  const last = others.pop();
  if (last === undefined) return word === first;
  if (word.length < first.length + last.length) return false;
  if (!word.startsWith(first) || !word.endsWith(last)) return false;
  let at = first.length;
  for (const text of others) {
    const found = word.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return at <= word.length - last.length;
}
