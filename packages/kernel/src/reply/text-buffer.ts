/** Text that grows by small deltas, kept flat: twenty thousand deltas must not become a tree of as many strings. */

/** Up to this many pieces, plain concatenation is cheaper than a list. */
const foldFrom = 64;
const foldAt = 512;

export class TextBuffer {
  #text = "";
  /** Pieces that are still concatenated. */
  #left: number;
  #recent: string[] | undefined;

  /** A text that is held for long and seldom read takes half of the memory with 0. */
  constructor(left: number = foldFrom) {
    this.#left = left;
  }

  append(delta: string): void {
    if (this.#left > 0) {
      this.#left--;
      this.#text += delta;
      return;
    }
    this.#recent ??= [];
    if (this.#recent.push(delta) === foldAt) this.#fold();
  }

  toString(): string {
    if (this.#recent !== undefined) this.#fold();
    return this.#text;
  }

  #fold(): void {
    this.#text += this.#recent?.join("") ?? "";
    this.#recent = undefined;
  }
}
