/**
 * Reads a script exactly as bash would run it, or says why it is not sure. Commands run without approval depend on this reader, so it
 * deliberately knows less than bash: anything unusual is refused.
 */
import { HereDocuments } from "./here-documents.ts";
import {
  checkProgram,
  closing,
  noPath,
  toAssignment,
  toRedirection,
  unread,
} from "./simple-parts.ts";
import type {
  Assignment,
  NotSure,
  Redirection,
  Script,
  ScriptNode,
  SimpleCommand,
} from "./script.ts";
import type { ReadWord } from "./word-reader.ts";
import { readWord, Unread } from "./word-reader.ts";

export function readScript(text: string): Script | NotSure {
  try {
    // The shell gets UTF-8, which cannot encode lone surrogates. Some control characters have odd meanings in it.
    if (!text.isWellFormed() || controlCharacter.test(text)) {
      throw new Unread("has a control character");
    }
    return { type: "script", root: new ScriptReader(text).readAll() };
  } catch (thrown) {
    if (!(thrown instanceof Unread)) throw thrown;
    return { type: "notSure", problem: thrown.problem };
  }
}

// Bash marks quoted characters with 0x01 and 0x7F internally.
const controlCharacter = /(?![\t\n])\p{Cc}/u;
const maxDepth = 30;
const operator = /&&|\|\||\|&|;;|[;&|()\n]/y;
const redirection = /(\d*)(&>>|&>|>>|>\||>&|<&|<<<|<<-|<<|<>|>|<)/y;
const assignment = /^([A-Za-z_]\w*)=/;
/** Lower-case letters only: a loop must not set a variable that programs look at. */
const loopVariable = /^[a-z]{1,12}[0-9]?$/;

class ScriptReader {
  readonly #source: string;
  readonly #documents: HereDocuments;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
    this.#documents = new HereDocuments(source);
  }

  readAll(): ScriptNode {
    this.#skipBreaks();
    const root = this.#readList();
    if (this.#at < this.#source.length) throw new Unread("has an operator without a command");
    this.#documents.end();
    return root;
  }

  /** Reads up to a closing word, a `)` or the end. */
  #readList(): ScriptNode {
    if (this.#depth >= maxDepth) throw new Unread("is nested too deeply");
    this.#depth += 1;
    let list: ScriptNode | undefined;
    for (let hasMore = true; hasMore;) {
      const one = this.#readAndOr();
      const end = this.#takeOperator(";", "&", "\n");
      const second: ScriptNode = end === "&" ? { type: "apart", parts: [one] } : one;
      list = list === undefined ? second : { type: "then", first: list, second };
      if (end !== undefined) this.#skipBreaks();
      hasMore = end !== undefined && !this.#isAtEndOfList();
    }
    this.#depth -= 1;
    if (list === undefined) throw new Unread("has an operator without a command");
    return list;
  }

  #isAtEndOfList(): boolean {
    const next = this.#source[this.#at];
    return next === undefined || next === ")" || closing.has(this.#peekWord());
  }

  #readAndOr(): ScriptNode {
    let node = this.#readPipeline();
    for (;;) {
      const found = this.#takeOperator("&&", "||");
      if (found === undefined) return node;
      this.#skipBreaks();
      node = { type: found === "&&" ? "and" : "or", first: node, second: this.#readPipeline() };
    }
  }

  #readPipeline(): ScriptNode {
    if (this.#takeWord("time") && this.#takeWord("-p")) this.#skipBlanks();
    if (this.#takeWord("!")) return { type: "not", inner: this.#readPipeline() };
    const parts = [this.#readCommand()];
    while (this.#takeOperator("|", "|&") !== undefined) {
      this.#skipBreaks();
      parts.push(this.#readCommand());
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { type: "apart", parts };
  }

  #readCommand(): ScriptNode {
    this.#skipBlanks();
    if (this.#source[this.#at] === "(") return this.#readSubshell();
    const word = this.#peekWord();
    switch (word) {
      case "{":
        return this.#readGroup();
      case "if":
        return this.#readIf();
      case "while":
      case "until":
        return this.#readWhile(word);
      case "for":
        return this.#readFor();
      default:
        if (unread.has(word) || closing.has(word) || word === "time" || word === "!") {
          throw new Unread(`has the shell's word ${word}, which rules do not read here`);
        }
        return this.#readSimple();
    }
  }

  #readSubshell(): ScriptNode {
    if (this.#source.startsWith("((", this.#at)) throw new Unread("has arithmetic");
    this.#at += 1;
    this.#skipBreaks();
    const inner = this.#readList();
    if (this.#source[this.#at] !== ")") throw new Unread("has a ( that is not closed");
    this.#at += 1;
    return this.#redirected({ type: "apart", parts: [inner] });
  }

  #readGroup(): ScriptNode {
    const inner = this.#readBody("{");
    this.#expectWord("}");
    return this.#redirected(inner);
  }

  #readIf(): ScriptNode {
    const condition = this.#readBody(this.#takeWord("elif") ? undefined : "if");
    const body = this.#readBody("then");
    if (this.#peekWord() === "elif") {
      return { type: "if", condition, body, otherwise: this.#readIf() };
    }
    const otherwise = this.#peekWord() === "else" ? this.#readBody("else") : undefined;
    this.#expectWord("fi");
    return this.#redirected({ type: "if", condition, body, otherwise });
  }

  #readWhile(word: string): ScriptNode {
    const condition = this.#readBody(word);
    const body = this.#readBody("do");
    this.#expectWord("done");
    return this.#redirected({ type: "loop", parts: [condition, body] });
  }

  #readFor(): ScriptNode {
    this.#expectWord("for");
    this.#skipBlanks();
    const name = this.#word();
    if (!loopVariable.test(name.raw)) throw new Unread("has a for loop that rules do not read");
    this.#skipBlanks();
    this.#expectWord("in");
    for (;;) {
      this.#skipBlanks();
      if (this.#takeOperator(";", "\n") !== undefined) break;
      this.#word();
    }
    this.#skipBreaks();
    const body = this.#readBody("do");
    this.#expectWord("done");
    return this.#redirected({ type: "loop", parts: [body] });
  }

  /** Reads a keyword and the list after it. */
  #readBody(keyword: string | undefined): ScriptNode {
    if (keyword !== undefined) this.#expectWord(keyword);
    this.#skipBreaks();
    const list = this.#readList();
    this.#skipBreaks();
    return list;
  }

  #redirected(inner: ScriptNode): ScriptNode {
    const redirections: Redirection[] = [];
    for (;;) {
      this.#skipBlanks();
      const found = this.#takeRedirection();
      if (found === undefined) break;
      redirections.push(found);
    }
    return redirections.length === 0 ? inner : { type: "redirected", inner, redirections };
  }

  #readSimple(): SimpleCommand {
    const start = this.#at;
    const assignments: Assignment[] = [];
    const words: ReadWord[] = [];
    const redirections: Redirection[] = [];
    let end = start;
    for (;;) {
      this.#skipBlanks();
      const found = this.#takeRedirection();
      if (found !== undefined) redirections.push(found);
      else if (this.#isAtWord()) {
        const word = this.#word();
        const name = words.length === 0 ? assignment.exec(word.raw)?.[1] : undefined;
        if (name !== undefined) assignments.push(toAssignment(name, word));
        else words.push(word);
      } else break;
      end = this.#at;
    }
    if (words.length === 0 && assignments.length === 0) {
      throw new Unread(
        redirections.length > 0
          ? "has a redirection without a command"
          : "has an operator without a command",
      );
    }
    checkProgram(words[0], redirections.length > 0);
    const source = this.#source.slice(start, end);
    return { type: "simple", assignments, words, redirections, source };
  }

  #takeRedirection(): Redirection | undefined {
    redirection.lastIndex = this.#at;
    const [whole = "", descriptor = "", kind = ""] = redirection.exec(this.#source) ?? [];
    if (whole === "") return undefined;
    if (this.#source[this.#at + whole.length] === "(") {
      throw new Unread("has a process substitution");
    }
    this.#at += whole.length;
    this.#skipBlanks();
    const isTarget = this.#isAtWord() && this.#source[this.#at] !== "#" && descriptor.length < 3;
    if (!isTarget) throw new Unread("has a redirection that rules do not read");
    if (kind === "<<" || kind === "<<-") {
      const delimiter = this.#word();
      const content = this.#documents.announce(delimiter, kind === "<<-");
      return { type: "text", path: noPath, ...(content !== undefined && { content }) };
    }
    const target = this.#word();
    if (kind === "<<<") {
      return { type: "text", path: noPath, ...(target.isKnown && { content: target.text }) };
    }
    return toRedirection(kind, descriptor, target);
  }

  #word(): ReadWord {
    const word = readWord(this.#source, this.#at);
    if (word.end === this.#at) throw new Unread("has an operator without a command");
    // The descriptor of `{name}>file` is a variable.
    if (/^\{\w+\}$/.test(word.raw) && /[<>]/.test(this.#source[word.end] ?? "")) {
      throw new Unread("has a redirection that sets a variable");
    }
    this.#at = word.end;
    return word;
  }

  #isAtWord(): boolean {
    const next = this.#source[this.#at];
    return next !== undefined && !/[\n;&|()<>]/.test(next);
  }

  /** Returns the next word as written, without moving; empty if an operator follows. */
  #peekWord(): string {
    this.#skipBlanks();
    const found = /[^ \t\n;&|()<>]*/y;
    found.lastIndex = this.#at;
    return found.exec(this.#source)?.[0] ?? "";
  }

  #takeWord(word: string): boolean {
    if (this.#peekWord() !== word) return false;
    this.#at += word.length;
    return true;
  }

  #expectWord(word: string): void {
    if (!this.#takeWord(word)) throw new Unread(`has a construct without ${word}`);
  }

  #takeOperator(...wanted: readonly string[]): string | undefined {
    this.#skipBlanks();
    if (redirectionAt(this.#source, this.#at)) return undefined;
    operator.lastIndex = this.#at;
    const found = operator.exec(this.#source)?.[0];
    if (found === undefined || !wanted.includes(found)) return undefined;
    this.#at += found.length;
    if (found === "\n") this.#at = this.#documents.skip(this.#at);
    return found;
  }

  /** Skips blanks, continued lines and a comment. */
  #skipBlanks(): void {
    for (;;) {
      const character = this.#source[this.#at];
      if (character === " " || character === "\t") this.#at += 1;
      else if (this.#source.startsWith("\\\n", this.#at) && this.#isAfter(/[ \t\n]/)) this.#at += 2;
      else if (character === "#" && this.#isAfter(/[ \t\n;&|()]/)) {
        const end = this.#source.indexOf("\n", this.#at);
        this.#at = end === -1 ? this.#source.length : end;
      } else return;
    }
  }

  #isAfter(character: RegExp): boolean {
    return this.#at === 0 || character.test(this.#source[this.#at - 1] ?? "");
  }

  #skipBreaks(): void {
    while (this.#takeOperator("\n") !== undefined);
  }
}

function redirectionAt(source: string, at: number): boolean {
  return source.startsWith("&>", at);
}
