/**
 * Finds the simple commands of a script wherever they are, as far as they can be parsed. Only rules that deny or ask use this, and unparsed
 * scripts need approval: so this parser may be rough, while `read-script.ts` must be exact.
 */

/** Undefined: only the shell knows its value. */
export type FoundWord = string | undefined;

export interface FoundFile {
  readonly path: FoundWord;
  readonly isWritten: boolean;
}

export interface FoundCommands {
  readonly commands: readonly (readonly FoundWord[])[];
  /** Files of redirections. */
  readonly files: readonly FoundFile[];
  /** Here-strings, which are the input of a command. */
  readonly texts: readonly FoundWord[];
  /** True if the whole script was parsed. */
  readonly isWhole: boolean;
}

interface Found {
  readonly commands: (readonly FoundWord[])[];
  readonly files: FoundFile[];
  readonly texts: FoundWord[];
}

export function commandsIn(text: string): FoundCommands {
  const found: Found = { commands: [], files: [], texts: [] };
  const reader = new CommandFinder(text, found, 0);
  reader.readCommands(undefined);
  return { ...found, isWhole: reader.isWhole && !brokenOperator.test(text) };
}

/** A line continuation inside an operator or an expansion: bash joins the lines, this parser does not. */
const brokenOperator = /[$<>&|;({`]\\\n/;

interface ReadWord {
  readonly value: FoundWord;
  /** As written, quotes included, on one line. */
  readonly raw: string;
  readonly end: number;
  /** After a redirection no word is reserved. */
  readonly isAfterRedirection: boolean;
}

const maxDepth = 40;
/** Words before a command that do not change which command it is. */
const leading = new Set(["!", "{", "if", "then", "elif", "else", "do", "while", "until"]);
/** Words that start a construct with its own syntax. */
const unreadable = new Set(["case", "coproc", "function", "[["]);
const lists = new Set(["for", "select"]);
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const redirection = /&>>?|<<<|<>|>>|>\||[<>]&?/y;
const wordEnd = /[ \t\n;&|()<>]/;

class CommandFinder {
  isWhole = true;
  readonly #source: string;
  readonly #found: Found;
  readonly #depth: number;
  #at = 0;

  constructor(source: string, found: Found, depth: number) {
    this.#source = source;
    this.#found = found;
    this.#depth = depth;
  }

  /** Reads to the end, or past the closing `)`. */
  readCommands(terminator: ")" | undefined): void {
    let words: ReadWord[] = [];
    let isAfterRedirection = false;
    const endCommand = (): void => {
      this.#add(words);
      words = [];
      isAfterRedirection = false;
    };
    for (;;) {
      this.#skipBlanks();
      const character = this.#source[this.#at];
      if (character === undefined) {
        endCommand();
        if (terminator !== undefined) this.#giveUp();
        return;
      }
      if (character === ")") {
        endCommand();
        if (terminator === undefined) return this.#giveUp();
        this.#at += 1;
        return;
      }
      if (character === "(") {
        // A function, an array, or arithmetic.
        if (words.length > 0 || this.#source[this.#at + 1] === "(") this.#giveUp();
        else this.#readNested();
      } else if (character === "#") {
        this.#skipLine();
      } else if (this.#isRedirection()) {
        isAfterRedirection = true;
        words = this.#withoutDescriptor(words);
        this.#readRedirection();
      } else if (
        character === ";" ||
        character === "&" ||
        character === "|" ||
        character === "\n"
      ) {
        endCommand();
        this.#at += 1;
      } else {
        words.push({ ...this.#readWord(), isAfterRedirection });
      }
    }
  }

  #add(words: readonly ReadWord[]): void {
    const isReserved = (word: ReadWord | undefined, among: ReadonlySet<string>): boolean =>
      word !== undefined && !word.isAfterRedirection && among.has(word.raw);
    let start = 0;
    while (isReserved(words[start], leading)) start += 1;
    if (isReserved(words[start], unreadable)) this.isWhole = false;
    if (isReserved(words[start], lists)) return;
    // After an assignment no word is reserved.
    while (assignment.test(words[start]?.raw ?? "")) start += 1;
    if (start < words.length)
      this.#found.commands.push(words.slice(start).map(({ value }) => value));
  }

  /** Stops parsing: the rest might be misread. */
  #giveUp(): void {
    this.isWhole = false;
    this.#at = this.#source.length;
  }

  #skipBlanks(): void {
    while (
      /[ \t]/.test(this.#source[this.#at] ?? "") ||
      this.#source.startsWith("\\\n", this.#at)
    ) {
      this.#at += this.#source[this.#at] === "\\" ? 2 : 1;
    }
  }

  #skipLine(): void {
    const end = this.#source.indexOf("\n", this.#at);
    this.#at = end === -1 ? this.#source.length : end;
  }

  #isRedirection(): boolean {
    const [first, second] = this.#source.slice(this.#at, this.#at + 2);
    if (first === "&") return second === ">";
    return (first === "<" || first === ">") && second !== "(";
  }

  /** In `2>x` the 2 is not a word of the command; in `2&>x` it is. */
  #withoutDescriptor(words: ReadWord[]): ReadWord[] {
    if (this.#source[this.#at] === "&") return words;
    const last = words.at(-1);
    const isDescriptor = last?.end === this.#at && /^(?:\d+|\{\w+\})$/.test(last.raw);
    return isDescriptor ? words.slice(0, -1) : words;
  }

  #readRedirection(): void {
    const operator = this.#take(redirection)?.[0];
    // The lines of a here-document are not commands.
    if (operator === "<" && this.#source[this.#at] === "<") return this.#giveUp();
    this.#skipBlanks();
    if (this.#source[this.#at] === "\n") return this.#giveUp();
    const { value, raw } = this.#readWord();
    if (operator === "<<<") this.#found.texts.push(value);
    else if (!/^[\d-]+$/.test(raw)) {
      this.#found.files.push({ path: value, isWritten: operator !== "<" });
    }
  }

  #readNested(): void {
    if (this.#depth >= maxDepth) return this.#giveUp();
    const nested = new CommandFinder(this.#source, this.#found, this.#depth + 1);
    nested.#at = this.#at + 1;
    nested.readCommands(")");
    this.#at = nested.#at;
    if (!nested.isWhole) this.#giveUp();
  }

  #readWord(): Omit<ReadWord, "isAfterRedirection"> {
    const start = this.#at;
    let text = "";
    let isKnown = true;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at] ?? "";
      const isSubstitution = /^[<>]\($/.test(this.#source.slice(this.#at, this.#at + 2));
      if (wordEnd.test(character) && !(isSubstitution && this.#at === start)) break;
      const piece = this.#readPiece(character, this.#source.slice(start, this.#at));
      if (piece === undefined) isKnown = false;
      else text += piece;
    }
    const end = this.#at;
    const raw = this.#source.slice(start, end).replaceAll("\\\n", "");
    if (raw === "{" || raw === "{}") return { value: raw, raw, end };
    return { value: isKnown ? text : undefined, raw, end };
  }

  #readPiece(character: string, before: string): FoundWord {
    switch (character) {
      case "'":
        return this.#quoted(/'([^']*)'/y);
      case '"':
        return this.#readDoubleQuoted();
      case "$":
        return this.#readExpansion();
      case "`":
        return this.#readBackticks();
      case "<":
      case ">":
        this.#at += 1;
        this.#readNested();
        return undefined;
      case "\\": {
        // At the end of the text bash may drop it.
        const escaped = this.#source[this.#at + 1];
        this.#at += 2;
        return escaped === "\n" ? "" : escaped;
      }
      default:
        this.#at += 1;
        if (character === "~") return /(?:^|[=:])$/.test(before) ? undefined : character;
        return /[*?[{]/.test(character) ? undefined : character;
    }
  }

  #readDoubleQuoted(): FoundWord {
    let text = "";
    let isKnown = true;
    this.#at += 1;
    for (;;) {
      const character = this.#source[this.#at];
      if (character === undefined) {
        this.#giveUp();
        return undefined;
      }
      if (character === '"') {
        this.#at += 1;
        return isKnown ? text : undefined;
      }
      if (character === "$" || character === "`") {
        const piece = character === "$" ? this.#readExpansion(true) : this.#readBackticks();
        if (piece === undefined) isKnown = false;
        else text += piece;
      } else {
        const escaped = character === "\\" ? this.#take(/\\([$`"\\\n])/y)?.[1] : undefined;
        if (escaped === undefined) this.#at += 1;
        if (escaped !== "\n") text += escaped ?? character;
      }
    }
  }

  #readExpansion(isInQuotes = false): FoundWord {
    const rest = this.#source.slice(this.#at + 1, this.#at + 3);
    if (rest === "((" || rest.startsWith("[")) this.#giveUp();
    else if (rest.startsWith("(")) {
      this.#at += 1;
      this.#readNested();
    } else if (rest.startsWith("{")) {
      // Other expansions may contain commands.
      if (this.#take(/\$\{[#!]?\w+\}/y) === undefined) this.#giveUp();
    } else if (rest.startsWith("'") && !isInQuotes) {
      this.#quoted(/\$'((?:[^'\\]|\\[^])*)'/y);
    } else if (rest.startsWith('"') && !isInQuotes) {
      this.#at += 1;
      return this.#readDoubleQuoted();
    } else if (this.#take(/\$(?:\w+|[@*#?$!-])/y) === undefined) {
      this.#at += 1;
      return "$";
    }
    return undefined;
  }

  #readBackticks(): undefined {
    const inner = this.#quoted(/`((?:[^`\\]|\\[^])*)`/y) ?? "";
    if (this.#depth >= maxDepth) this.#giveUp();
    if (!this.isWhole) return;
    const script = inner.replaceAll(/\\([$`\\])/g, "$1");
    const nested = new CommandFinder(script, this.#found, this.#depth + 1);
    nested.readCommands(undefined);
    if (!nested.isWhole) this.#giveUp();
  }

  /** Returns the text between the quotes. */
  #quoted(expression: RegExp): string | undefined {
    const found = this.#take(expression);
    if (found === undefined) this.#giveUp();
    return found?.[1];
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }
}
