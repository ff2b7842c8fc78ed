/** Suggests the narrowest rule that allows one command. */
import { isCapstanError } from "@capstan/kernel";
import type { ScriptWord } from "./bash/script.ts";
import { coversLiterally, fitsWords } from "./command-pattern.ts";
import { parseRule } from "./rule.ts";

const plainWord = /^[\w@%+=:,./-]+$/;
const maxChars = 300;

/** `literal`: indexes of the words that the rule must contain. Undefined if no rule allows the command. */
export function hintFor(
  words: readonly ScriptWord[],
  literal: readonly number[],
): string | undefined {
  const end = words.findIndex(({ text, isKnown }) => !isKnown || /\p{Cc}/u.test(text));
  const known = (end === -1 ? words : words.slice(0, end)).map(({ text }) => text);
  if (known.length === 0) return undefined;
  const rest = end === -1 ? "" : " *";
  // An unquoted command name may be a reserved word of the shell.
  const [first = "", ...others] = known;
  const tail = others.map((word) => ` ${plainWord.test(word) ? word : quote(word)}`).join("");
  const patterns = [
    `${plainWord.test(first) ? first : quote(first)}${tail}${rest}`,
    `${quote(first)}${tail}${rest}`,
  ];
  return patterns
    .map((pattern) => `bash(${pattern})`)
    .find((rule) => rule.length <= maxChars && allows(rule, words, literal));
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function allows(text: string, words: readonly ScriptWord[], literal: readonly number[]): boolean {
  try {
    const { pattern } = parseRule(text);
    return (
      pattern?.type === "command" && fitsWords(pattern, words) && coversLiterally(pattern, literal)
    );
  } catch (thrown) {
    if (isCapstanError(thrown)) return false;
    throw thrown;
  }
}
