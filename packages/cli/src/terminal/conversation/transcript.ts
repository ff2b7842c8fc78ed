/** The visible part of a conversation: its lines from an anchor on. Lines before the anchor are in the terminal's scrollback. */
import type { Block } from "./blocks.ts";
import type { Body } from "../screen/contracts.ts";

/** Lines of an earlier conversation that are written at the start, for the scrollback. */
const firstLineCount = 150;

export type LinesOf = (block: Block, width: number) => readonly string[];

export class Transcript implements Body {
  readonly #blocks: () => readonly Block[];
  readonly #linesOf: LinesOf;
  /** First visible line: a block, and a line of it. */
  #anchor = { block: 0, line: 0 };
  #isNew = true;

  constructor(blocks: () => readonly Block[], linesOf: LinesOf) {
    this.#blocks = blocks;
    this.#linesOf = linesOf;
  }

  /** Begins with the last lines of the conversation, more than a window of them. */
  startOver(): void {
    this.#isNew = true;
  }

  lines(width: number): readonly string[] {
    if (this.#isNew) this.showLast(width, firstLineCount);
    const { block: first, line } = this.#anchor;
    const blocks = this.#blocks();
    const lines: string[] = [];
    for (let index = first; index < blocks.length; index += 1) {
      const own = this.#linesAt(blocks, index, width);
      for (let at = index === first ? line : 0; at < own.length; at += 1) {
        lines.push(own[at] ?? "");
      }
    }
    this.#width = width;
    return lines;
  }

  forget(count: number): void {
    const blocks = this.#blocks();
    let { block, line } = this.#anchor;
    for (let left = count; left > 0 && block < blocks.length;) {
      const rest = Math.max(0, this.#linesAt(blocks, block, this.#width).length - line);
      if (left < rest) {
        line += left;
        break;
      }
      left -= rest;
      // A block that may still grow keeps the anchor: its next lines follow.
      if (block === blocks.length - 1) {
        line += rest;
        break;
      }
      block += 1;
      line = 0;
    }
    this.#anchor = { block, line };
  }

  showLast(width: number, count: number): void {
    const blocks = this.#blocks();
    let block = blocks.length;
    let missing = count;
    while (block > 0 && missing > 0) {
      block -= 1;
      missing -= this.#linesAt(blocks, block, width).length;
    }
    const last = { block, line: Math.max(0, -missing) };
    const first = this.#isNew ? last : this.#anchorAt(blocks, width);
    const isEarlier =
      first.block < last.block || (first.block === last.block && first.line < last.line);
    // Whether lines of the window are in the scrollback after a resize, only the terminal knows: rather twice than lost.
    this.#anchor = isEarlier ? first : last;
    this.#isNew = false;
    this.#width = width;
  }

  /** Width of the last frame. */
  #width = 80;

  /** The anchor in another width. */
  #anchorAt(
    blocks: readonly Block[],
    width: number,
  ): { readonly block: number; readonly line: number } {
    const { block, line } = this.#anchor;
    const [before, after] = [this.#width, width].map(
      (one) => this.#linesAt(blocks, block, one).length,
    );
    return { block, line: Math.floor((line * (after ?? 0)) / Math.max(1, before ?? 0)) };
  }

  #linesAt(blocks: readonly Block[], index: number, width: number): readonly string[] {
    const block = blocks[index];
    return block === undefined ? [] : this.#linesOf(block, width);
  }
}
