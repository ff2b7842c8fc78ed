/** Text that grows by small deltas, kept flat: twenty thousand of them must not become a tree of as many strings. */

const foldAt = 512;

export class TextBuffer {
  #text = "";
  #recent: string[] = [];

  append(delta: string): void {
    if (this.#recent.push(delta) === foldAt) this.#fold();
  }

  toString(): string {
    if (this.#recent.length > 0) this.#fold();
    return this.#text;
  }

  #fold(): void {
    this.#text += this.#recent.length === 1 ? this.#recent[0] : this.#recent.join("");
    this.#recent = [];
  }
}
