/**
 * Reads a script exactly as bash would run it, or says why it is not sure. Commands run without approval depend on this reader, so it
 * deliberately knows less than bash: anything unusual is refused.
 */
import { readTest } from "./double-brackets.ts";
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
import { Unread } from "./word-reader.ts";
import { Tokens } from "./tokens.ts";

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
const maxSubstitutions = 5;
const redirection = /(\d*)(&>>|&>|>>|>\||>&|<&|<<<|<<-|<<|<>|>|<)/y;
const assignment = /^([A-Za-z_]\w*)=/;
/** Lower-case letters only: a loop must not set a variable that programs look at. */
const loopVariable = /^[a-z]{1,12}[0-9]?$/;

class ScriptReader {
  readonly #source: string;
  readonly #tokens: Tokens;
  /** How many substitutions contain this text. */
  readonly #level: number;
  #depth = 0;
  /** Substitutions among the words of the command that is being read. */
  #substitutions: ScriptNode[] = [];

  constructor(source: string, at = 0, level = 0) {
    this.#source = source;
    this.#tokens = new Tokens(source, at);
    this.#level = level;
  }

  readAll(): ScriptNode {
    this.#tokens.skipBreaks();
    const root = this.#readList();
    if (this.#tokens.at < this.#source.length)
      throw new Unread("has an operator without a command");
    this.#tokens.documents.end();
    return root;
  }

  /** Reads the commands of `$(…)` on one line: lines in it, and here-documents, are not read the same by all versions of bash. */
  #readSubstitution(start: number): number {
    if (this.#level >= maxSubstitutions) throw new Unread("is nested too deeply");
    const inner = new ScriptReader(this.#source, start, this.#level + 1);
    const node = inner.#readList();
    inner.#tokens.skipBlanks();
    if (this.#source[inner.#tokens.at] !== ")")
      throw new Unread("has a substitution that is not closed");
    if (this.#source.slice(start, inner.#tokens.at).includes("\n")) {
      throw new Unread("has a command substitution of several lines");
    }
    this.#substitutions.push({ type: "apart", parts: [node] });
    return inner.#tokens.at;
  }

  /** Reads up to a closing word, a `)` or the end. */
  #readList(): ScriptNode {
    if (this.#depth >= maxDepth) throw new Unread("is nested too deeply");
    this.#depth += 1;
    let list: ScriptNode | undefined;
    for (let hasMore = true; hasMore;) {
      const one = this.#readAndOr();
      const end = this.#tokens.takeOperator(";", "&", "\n");
      const second: ScriptNode = end === "&" ? { type: "apart", parts: [one] } : one;
      list = list === undefined ? second : { type: "then", first: list, second };
      if (end !== undefined) this.#tokens.skipBreaks();
      hasMore = end !== undefined && !this.#isAtEndOfList();
    }
    this.#depth -= 1;
    if (list === undefined) throw new Unread("has an operator without a command");
    return list;
  }

  #isAtEndOfList(): boolean {
    const next = this.#source[this.#tokens.at];
    return next === undefined || next === ")" || closing.has(this.#tokens.peekWord());
  }

  #readAndOr(): ScriptNode {
    let node = this.#readPipeline();
    for (;;) {
      const found = this.#tokens.takeOperator("&&", "||");
      if (found === undefined) return node;
      this.#tokens.skipBreaks();
      node = { type: found === "&&" ? "and" : "or", first: node, second: this.#readPipeline() };
    }
  }

  #readPipeline(): ScriptNode {
    if (this.#tokens.takeWord("time") && this.#tokens.takeWord("-p")) this.#tokens.skipBlanks();
    if (this.#tokens.takeWord("!")) return { type: "not", inner: this.#readPipeline() };
    const parts = [this.#readCommand()];
    while (this.#tokens.takeOperator("|", "|&") !== undefined) {
      this.#tokens.skipBreaks();
      parts.push(this.#readCommand());
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { type: "apart", parts };
  }

  #readCommand(): ScriptNode {
    const outer = this.#substitutions;
    this.#substitutions = [];
    const inner = this.#readPlainCommand();
    const substitutions = this.#substitutions;
    this.#substitutions = outer;
    return substitutions.length === 0 ? inner : { type: "expanded", substitutions, inner };
  }

  #readPlainCommand(): ScriptNode {
    this.#tokens.skipBlanks();
    if (this.#source[this.#tokens.at] === "(") return this.#readSubshell();
    const word = this.#tokens.peekWord();
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
      case "[[":
        return this.#readTest();
      default:
        if (unread.has(word) || closing.has(word) || word === "time" || word === "!") {
          throw new Unread(`has the shell's word ${word}, which rules do not read here`);
        }
        return this.#readSimple();
    }
  }

  #readSubshell(): ScriptNode {
    if (this.#source.startsWith("((", this.#tokens.at)) throw new Unread("has arithmetic");
    this.#tokens.at += 1;
    this.#tokens.skipBreaks();
    const inner = this.#readList();
    if (this.#source[this.#tokens.at] !== ")") throw new Unread("has a ( that is not closed");
    this.#tokens.at += 1;
    return this.#redirected({ type: "apart", parts: [inner] });
  }

  #readGroup(): ScriptNode {
    const inner = this.#readBody("{");
    this.#tokens.expectWord("}");
    return this.#redirected(inner);
  }

  #readTest(): ScriptNode {
    const start = this.#tokens.at;
    this.#tokens.expectWord("[[");
    const words = readTest({
      word: () => {
        this.#tokens.skipBlanks();
        return this.#word();
      },
      takeWord: (word) => this.#tokens.takeWord(word),
      takeOperator: (...wanted) => this.#tokens.takeOperator(...wanted),
    });
    const source = this.#source.slice(start, this.#tokens.at);
    return this.#redirected({ type: "test", words, source });
  }

  #readIf(): ScriptNode {
    const condition = this.#readBody(this.#tokens.takeWord("elif") ? undefined : "if");
    const body = this.#readBody("then");
    if (this.#tokens.peekWord() === "elif") {
      return { type: "if", condition, body, otherwise: this.#readIf() };
    }
    const otherwise = this.#tokens.peekWord() === "else" ? this.#readBody("else") : undefined;
    this.#tokens.expectWord("fi");
    return this.#redirected({ type: "if", condition, body, otherwise });
  }

  #readWhile(word: string): ScriptNode {
    const condition = this.#readBody(word);
    const body = this.#readBody("do");
    this.#tokens.expectWord("done");
    return this.#redirected({ type: "loop", parts: [condition, body] });
  }

  #readFor(): ScriptNode {
    this.#tokens.expectWord("for");
    this.#tokens.skipBlanks();
    const name = this.#word();
    if (!loopVariable.test(name.raw)) throw new Unread("has a for loop that rules do not read");
    this.#tokens.skipBlanks();
    this.#tokens.expectWord("in");
    for (;;) {
      this.#tokens.skipBlanks();
      if (this.#tokens.takeOperator(";", "\n") !== undefined) break;
      this.#word();
    }
    this.#tokens.skipBreaks();
    const body = this.#readBody("do");
    this.#tokens.expectWord("done");
    return this.#redirected({ type: "loop", parts: [body] });
  }

  /** Reads a keyword and the list after it. */
  #readBody(keyword: string | undefined): ScriptNode {
    if (keyword !== undefined) this.#tokens.expectWord(keyword);
    this.#tokens.skipBreaks();
    const list = this.#readList();
    this.#tokens.skipBreaks();
    return list;
  }

  #redirected(inner: ScriptNode): ScriptNode {
    const redirections: Redirection[] = [];
    for (;;) {
      this.#tokens.skipBlanks();
      const found = this.#takeRedirection();
      if (found === undefined) break;
      redirections.push(found);
    }
    return redirections.length === 0 ? inner : { type: "redirected", inner, redirections };
  }

  #readSimple(): SimpleCommand {
    const start = this.#tokens.at;
    const assignments: Assignment[] = [];
    const words: ReadWord[] = [];
    const redirections: Redirection[] = [];
    let end = start;
    for (;;) {
      this.#tokens.skipBlanks();
      const found = this.#takeRedirection();
      if (found !== undefined) redirections.push(found);
      else if (this.#tokens.isAtWord()) {
        const word = this.#word();
        const name = words.length === 0 ? assignment.exec(word.raw)?.[1] : undefined;
        if (name !== undefined) assignments.push(toAssignment(name, word));
        else words.push(word);
      } else break;
      end = this.#tokens.at;
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
    redirection.lastIndex = this.#tokens.at;
    const [whole = "", descriptor = "", kind = ""] = redirection.exec(this.#source) ?? [];
    if (whole === "") return undefined;
    // Here the number is a word of its own.
    if (descriptor !== "" && kind.startsWith("&")) throw new Unread("has a number before &>");
    if (this.#source[this.#tokens.at + whole.length] === "(") {
      throw new Unread("has a process substitution");
    }
    this.#tokens.at += whole.length;
    this.#tokens.skipBlanks();
    const isTarget =
      this.#tokens.isAtWord() && this.#source[this.#tokens.at] !== "#" && descriptor.length < 3;
    if (!isTarget) throw new Unread("has a redirection that rules do not read");
    if (kind === "<<" || kind === "<<-") {
      if (this.#level > 0) throw new Unread("has a here-document in a substitution");
      const delimiter = this.#word();
      const content = this.#tokens.documents.announce(delimiter, kind === "<<-");
      return { type: "text", path: noPath, ...(content !== undefined && { content }) };
    }
    const target = this.#word();
    if (kind === "<<<") {
      return { type: "text", path: noPath, ...(target.isKnown && { content: target.text }) };
    }
    return toRedirection(kind, descriptor, target);
  }

  #word(): ReadWord {
    return this.#tokens.word((start) => this.#readSubstitution(start));
  }
}
