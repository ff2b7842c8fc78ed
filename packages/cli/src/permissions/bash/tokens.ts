/** Words and operators of a script, one after the other. */
import { HereDocuments } from "./here-documents.ts";
import type { ReadSubstitution, ReadWord } from "./word-reader.ts";
import { readWord, Unread } from "./word-reader.ts";

const operator = /&&|\|\||\|&|;;|[;&|()\n]/y;

export class Tokens {
  readonly documents: HereDocuments;
  at: number;
  readonly #source: string;

  constructor(source: string, at: number) {
    this.#source = source;
    this.documents = new HereDocuments(source);
    this.at = at;
  }

  word(readSubstitution: ReadSubstitution): ReadWord {
    const word = readWord(this.#source, this.at, readSubstitution);
    if (word.end === this.at) throw new Unread("has an operator without a command");
    // The descriptor of `{name}>file` is a variable.
    if (/^\{\w+\}$/.test(word.raw) && /[<>]/.test(this.#source[word.end] ?? "")) {
      throw new Unread("has a redirection that sets a variable");
    }
    this.at = word.end;
    return word;
  }

  isAtWord(): boolean {
    const next = this.#source[this.at];
    return next !== undefined && !/[\n;&|()<>]/.test(next);
  }

  /** Returns the next word as written, without moving; empty if an operator follows. */
  peekWord(): string {
    this.skipBlanks();
    const found = /[^ \t\n;&|()<>]*/y;
    found.lastIndex = this.at;
    return found.exec(this.#source)?.[0] ?? "";
  }

  takeWord(word: string): boolean {
    if (this.peekWord() !== word) return false;
    this.at += word.length;
    return true;
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw new Unread(`has a construct without ${word}`);
  }

  takeOperator(...wanted: readonly string[]): string | undefined {
    this.skipBlanks();
    if (redirectionAt(this.#source, this.at)) return undefined;
    operator.lastIndex = this.at;
    const found = operator.exec(this.#source)?.[0];
    if (found === undefined || !wanted.includes(found)) return undefined;
    this.at += found.length;
    if (found === "\n") this.at = this.documents.skip(this.at);
    return found;
  }

  /** Skips blanks, continued lines and a comment. */
  skipBlanks(): void {
    for (;;) {
      const character = this.#source[this.at];
      if (character === " " || character === "\t") this.at += 1;
      else if (this.#source.startsWith("\\\n", this.at) && this.#isAfter(/[ \t\n]/)) this.at += 2;
      else if (character === "#" && this.#isAfter(/[ \t\n;&|()]/)) {
        const end = this.#source.indexOf("\n", this.at);
        this.at = end === -1 ? this.#source.length : end;
      } else return;
    }
  }

  #isAfter(character: RegExp): boolean {
    return this.at === 0 || character.test(this.#source[this.at - 1] ?? "");
  }

  skipBreaks(): void {
    while (this.takeOperator("\n") !== undefined);
  }
}

function redirectionAt(source: string, at: number): boolean {
  return source.startsWith("&>", at);
}
