/** Reads one word of bash exactly, or refuses it. */
import type { ScriptWord } from "./script.ts";

/** Thrown inside the reader only: the text is not read exactly. */
export class Unread extends Error {
  readonly problem: string;

  constructor(problem: string) {
    super(problem);
    this.problem = problem;
  }
}

export interface ReadWord extends ScriptWord {
  /** As written, quotes included. */
  readonly raw: string;
  readonly end: number;
}

/** Characters that end a word. */
const wordEnd = /[ \t\n;&|()<>]/;
/** From space to tilde: some locale may treat any other unquoted character as a blank. */
const plainAscii = /^[ -~]$/;

/** Reads the commands of `$(…)`, from the index after the bracket on. Returns the index of the closing one. */
export type ReadSubstitution = (start: number) => number;

/** `start` is the index of the word's first character. */
export function readWord(
  source: string,
  start: number,
  readSubstitution: ReadSubstitution,
): ReadWord {
  const word = new WordReader(source, start, readSubstitution);
  word.read();
  const raw = source.slice(start, word.at);
  if (word.hasBrace && raw !== "{" && /,|\.\./.test(raw)) {
    throw new Unread("has a brace expansion");
  }
  const { text, isKnown, isOne, rest } = word;
  return { text, isKnown, ...(!isKnown && { rest, isOne }), raw, end: word.at };
}

class WordReader {
  text = "";
  isKnown = true;
  /** False if the shell may make several words of it, or none. */
  isOne = true;
  rest = "";
  hasBrace = false;
  at: number;
  readonly #source: string;
  readonly #start: number;
  readonly #readSubstitution: ReadSubstitution;

  constructor(source: string, start: number, readSubstitution: ReadSubstitution) {
    this.#source = source;
    this.#start = start;
    this.#readSubstitution = readSubstitution;
    this.at = start;
  }

  read(): void {
    while (this.at < this.#source.length) {
      const character = this.#source[this.at] ?? "";
      if (wordEnd.test(character)) return;
      this.#readPiece(character);
    }
  }

  #add(text: string): void {
    if (this.isKnown) this.text += text;
    else this.rest += text;
  }

  #addUnknown(): void {
    this.isKnown = false;
    this.rest += "*";
  }

  #readPiece(character: string): void {
    switch (character) {
      case "'":
        return this.#add(this.#take(/'([^']*)'/y, "has a quote that is not closed")[1] ?? "");
      case '"':
        return this.#readDoubleQuoted();
      case "$":
        return this.#readExpansion(false);
      case "`":
        throw new Unread("has a command substitution");
      case "\\": {
        const escaped = this.#source[this.at + 1] ?? "";
        if (!plainAscii.test(escaped)) throw new Unread("has a \\ that escapes nothing");
        this.at += 2;
        return this.#add(escaped);
      }
      case "*":
      case "?":
      case "[":
        return this.#readGlob(character);
      case "{":
      case "}":
        this.hasBrace = true;
        break;
      case "~":
        if (this.at === this.#start || /[=:]$/.test(this.#before())) {
          throw new Unread("has a ~ that the shell expands");
        }
        break;
      default:
        if (!plainAscii.test(character)) throw new Unread("has an unquoted non-ASCII character");
    }
    this.at += 1;
    this.#add(character);
  }

  #before(): string {
    return this.#source.slice(this.#start, this.at);
  }

  /** A lone `[` is the name of a command, and matches no file as a word. */
  #readGlob(character: string): void {
    const isLone =
      character === "[" && this.at === this.#start && wordEndAt(this.#source, this.at + 1);
    this.at += 1;
    if (isLone) return this.#add(character);
    this.isOne = false;
    this.#addUnknown();
  }

  #readDoubleQuoted(): void {
    this.at += 1;
    for (;;) {
      const character = this.#source[this.at];
      if (character === undefined) throw new Unread("has a quote that is not closed");
      if (character === '"') {
        this.at += 1;
        return;
      }
      if (character === "`") throw new Unread("has a command substitution");
      if (character === "$") this.#readExpansion(true);
      else if (character === "\\") this.#readEscapeInQuotes();
      else {
        this.at += 1;
        this.#add(character);
      }
    }
  }

  #readEscapeInQuotes(): void {
    const escaped = this.#source[this.at + 1] ?? "";
    if (escaped === "\n") throw new Unread("has a line that continues inside quotes");
    this.at += 2;
    this.#add(/[$`"\\]/.test(escaped) ? escaped : `\\${escaped}`);
  }

  /** Without quotes the value is split into words, which need not start with the text before it. */
  #addExpansion(isSplit: boolean): void {
    if (isSplit) {
      this.rest = this.text + this.rest;
      this.text = "";
      this.isOne = false;
    }
    this.#addUnknown();
  }

  #readExpansion(isInQuotes: boolean): void {
    const rest = this.#source.slice(this.at + 1, this.at + 3);
    if (rest === "((") throw new Unread("has arithmetic");
    if (rest.startsWith("(")) {
      this.at = this.#readSubstitution(this.at + 2) + 1;
      return this.#addExpansion(!isInQuotes);
    }
    const expression = /\$(?:[A-Za-z_]\w*|[0-9@*#?$!]|\{[A-Za-z_]\w*\}|\{[0-9@*#?]\})/y;
    expression.lastIndex = this.at;
    const found = expression.exec(this.#source);
    if (found !== null) {
      this.at += found[0].length;
      return this.#addExpansion(!isInQuotes || found[0].includes("@"));
    }
    const isLiteral =
      rest === "" || /^[ \t\n|/.,:)%]/.test(rest) || (isInQuotes && rest.startsWith('"'));
    if (!isLiteral) throw new Unread("has an expansion that is not a plain variable");
    this.at += 1;
    this.#add("$");
  }

  #take(expression: RegExp, problem: string): RegExpExecArray {
    expression.lastIndex = this.at;
    const found = expression.exec(this.#source);
    if (found === null) throw new Unread(problem);
    this.at += found[0].length;
    return found;
  }
}

function wordEndAt(source: string, at: number): boolean {
  return at >= source.length || wordEnd.test(source[at] ?? "");
}
