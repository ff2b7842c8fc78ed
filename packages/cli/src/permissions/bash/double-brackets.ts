/** Reads the words between `[[` and `]]`: tests of files and texts. Tests that evaluate arithmetic, and with it commands, are refused. */
import type { ReadWord } from "./word-reader.ts";
import { Unread } from "./word-reader.ts";

const unary = /^-[abcdefghknprstuwxzGLNOS]$/;
const binary = /^(?:==?|!=)$/;
const odd = "has a [[ that rules do not read";

/** Next word or operator. */
export interface TestReader {
  word(): ReadWord;
  /** Returns true, and moves, if the next word is written like this. */
  takeWord(word: string): boolean;
  takeOperator(...wanted: readonly string[]): string | undefined;
}

/** Starts after `[[`, ends after `]]`. Returns the operands. */
export function readTest(reader: TestReader): readonly ReadWord[] {
  const operands: ReadWord[] = [];
  for (;;) {
    while (reader.takeWord("!"));
    operands.push(...readCondition(reader));
    if (reader.takeWord("]]")) return operands;
    if (reader.takeOperator("&&", "||") === undefined) throw new Unread(odd);
  }
}

function readCondition(reader: TestReader): readonly ReadWord[] {
  const first = operandOf(reader, true);
  if (unary.test(first.raw)) return [operandOf(reader, false)];
  const operator = ["==", "=", "!="].find((one) => reader.takeWord(one));
  if (operator !== undefined) return [first, operandOf(reader, false)];
  return [first];
}

/** Words that look like an operator in an unusual position are refused. */
function operandOf(reader: TestReader, isFirst: boolean): ReadWord {
  const word = reader.word();
  const { raw } = word;
  const isOperator = raw.startsWith("-") && !(isFirst && unary.test(raw));
  if (isOperator || raw === "]]" || raw === "[[" || raw === "!" || binary.test(raw)) {
    throw new Unread(odd);
  }
  return word;
}
