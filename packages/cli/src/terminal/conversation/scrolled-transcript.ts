/** A window on a conversation that the user moves. Its cost depends on the window, not on the conversation. */
import type { ScrolledBody } from "../screen/contracts.ts";
import type { Block } from "./blocks.ts";
import type { LinesOf } from "./transcript.ts";

/** A line of a block. */
interface Position {
  readonly block: number;
  readonly line: number;
}

export class ScrolledTranscript implements ScrolledBody {
  readonly #blocks: () => readonly Block[];
  readonly #linesOf: LinesOf;
  /** First line of the window. Undefined: the window follows the end. */
  #top: Position | undefined;
  /** Size of the last window. */
  #width = 80;
  #count = 1;

  constructor(blocks: () => readonly Block[], linesOf: LinesOf) {
    this.#blocks = blocks;
    this.#linesOf = linesOf;
  }

  get isAtEnd(): boolean {
    return this.#top === undefined;
  }

  window(width: number, count: number): readonly string[] {
    this.#width = width;
    this.#count = Math.max(0, count);
    const top = this.#top ?? this.#lastTop();
    const lines: string[] = [];
    for (let at = top.block; at < this.#blocks().length && lines.length < this.#count; at += 1) {
      lines.push(...this.#linesAt(at).slice(at === top.block ? top.line : 0));
    }
    return lines.slice(0, this.#count);
  }

  scrollBy(lines: number): void {
    const last = this.#lastTop();
    const top = this.#moved(this.#top ?? last, lines);
    this.#top = isBefore(top, last) ? top : undefined;
  }

  scrollToEnd(): void {
    this.#top = undefined;
  }

  /** First line of the window that ends with the conversation. */
  #lastTop(): Position {
    return this.#moved({ block: this.#blocks().length, line: 0 }, -this.#count);
  }

  /** Stops at the first line, and after the last one. */
  #moved({ block, line }: Position, by: number): Position {
    let at = block;
    let offset = line + by;
    while (offset < 0 && at > 0) {
      at -= 1;
      offset += this.#linesAt(at).length;
    }
    while (at < this.#blocks().length && offset >= this.#linesAt(at).length) {
      offset -= this.#linesAt(at).length;
      at += 1;
    }
    return { block: at, line: Math.max(0, offset) };
  }

  #linesAt(index: number): readonly string[] {
    const block = this.#blocks()[index];
    return block === undefined ? [] : this.#linesOf(block, this.#width);
  }
}

function isBefore(one: Position, other: Position): boolean {
  return one.block < other.block || (one.block === other.block && one.line < other.line);
}
