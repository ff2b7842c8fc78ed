/** Tests of `[` and `test` that only look: they need no rule. */
import type { ScriptWord } from "./script.ts";

const unaryTest = /^-[bcdefghknprsuwxzGLNOS]$/;
const binaryTest = /^(?:==?|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/**
 * True for a test of files, texts or numbers whose operator is known, and whose operands are one word each: then it runs nothing. `-v` is no
 * such test, because bash evaluates the index of an array, which may be a command.
 */
export function isPlainTest(words: readonly ScriptWord[]): boolean {
  const [first, ...others] = words;
  if (words.some(({ isKnown, isOne }) => !isKnown && isOne !== true)) return false;
  if (first?.isKnown === true && first.text === "!") return isPlainTest(others);
  if (words.length === 2) return isOperator(first, unaryTest);
  return words.length === 1 || (words.length === 3 && isOperator(words[1], binaryTest));
}

function isOperator(word: ScriptWord | undefined, operator: RegExp): boolean {
  return word?.isKnown === true && operator.test(word.text);
}
