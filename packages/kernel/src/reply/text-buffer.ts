/** Text that grows by small deltas, kept flat: twenty thousand deltas must not become a tree of as many strings. */

/** Up to this many pieces, plain concatenation is cheaper than a list. */
const foldFrom = 64;
const foldAt = 512;

export class TextBuffer {
  #text = "";
  #count = 0;
  #recent: string[] | undefined;

  append(delta: string): void {
    if (this.#count < foldFrom) {
      this.#count++;
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
