/** Here-documents: their texts start on the line after the one that announces them. */
import type { ReadWord } from "./word-reader.ts";
import { Unread } from "./word-reader.ts";

interface Announced {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
}

export class HereDocuments {
  readonly #source: string;
  #waiting: Announced[] = [];
  /** Index after the last text that was looked up, while several are announced on one line. */
  #next: number | undefined;
  #start: number | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns the text, which follows later. Throws if the shell would expand anything in it. */
  announce(delimiter: ReadWord, stripsTabs: boolean): string | undefined {
    const { raw, text } = delimiter;
    const isQuoted = /^'\w+'$|^"\w+"$|^\\\w+$/.test(raw);
    if (!isQuoted && !/^\w+$/.test(raw)) throw new Unread("has an odd here-document");
    const line = this.#source.indexOf("\n", delimiter.end);
    if (line === -1) throw new Unread("has a here-document without its text");
    this.#start ??= line + 1;
    const found = this.#textFrom(this.#next ?? line + 1, { delimiter: text, stripsTabs });
    if (!isQuoted && /[$`\\]/.test(found.content)) {
      throw new Unread("has a here-document with expansions");
    }
    this.#next = found.end;
    this.#waiting.push({ delimiter: text, stripsTabs });
    return found.content;
  }

  /** Returns the index after all announced texts; `at` is the start of a line. */
  skip(at: number): number {
    let end = at;
    for (const announced of this.#waiting) end = this.#textFrom(end, announced).end;
    // The line of the announcement was not the one that was expected, for example because of a quote across lines.
    if (this.#start !== undefined && this.#start !== at)
      throw new Unread("has an odd here-document");
    this.#waiting = [];
    this.#next = undefined;
    this.#start = undefined;
    return end;
  }

  /** Throws if a text is still to come. */
  end(): void {
    if (this.#waiting.length > 0) throw new Unread("has a here-document without its text");
  }

  #textFrom(
    start: number,
    { delimiter, stripsTabs }: Announced,
  ): { readonly content: string; readonly end: number } {
    let at = start;
    while (at < this.#source.length) {
      const newline = this.#source.indexOf("\n", at);
      const end = newline === -1 ? this.#source.length : newline;
      const line = this.#source.slice(at, end);
      if ((stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter) {
        return {
          content: this.#source.slice(start, at),
          end: Math.min(end + 1, this.#source.length),
        };
      }
      at = end + 1;
    }
    throw new Unread("has a here-document that does not end");
  }
}
