/** Output of a command: all of it, or its beginning and its end, in bounded memory. */

export class OutputBuffer {
  readonly #half: number;
  #head = "";
  #tail = "";
  #length = 0;

  constructor(maxChars: number) {
    this.#half = Math.floor(maxChars / 2);
  }

  /** Length of all output written. */
  get length(): number {
    return this.#length;
  }

  push(text: string): void {
    this.#length += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    // Not at every push: slicing copies the kept text.
    if (this.#tail.length > 2 * this.#half) this.#tail = this.#tail.slice(-this.#half);
  }

  /** The whole output; a note with the number of characters replaces the part that was dropped. */
  get text(): string {
    const { tail, missing } = this.#kept();
    return missing === 0 ? this.#head + tail : `${this.#head}\n${toNote(missing)}\n${tail}`;
  }

  /** Part of the output from `position`, which counts all characters written; continue at `next`. */
  part(position: number, maxChars: number): { readonly text: string; readonly next: number } {
    const { tail, missing } = this.#kept();
    if (missing === 0 || position < this.#head.length) {
      const kept = missing === 0 ? this.#head + tail : this.#head;
      const text = kept.slice(position, position + maxChars);
      return { text, next: Math.min(position, this.#length) + text.length };
    }
    const tailStart = this.#length - tail.length;
    const skipped = Math.max(0, tailStart - position);
    const start = Math.max(0, position - tailStart);
    const text = tail.slice(start, start + maxChars);
    return {
      text: skipped === 0 ? text : `${toNote(skipped)}\n${text}`,
      next: Math.min(tailStart + start, this.#length) + text.length,
    };
  }

  #kept(): { readonly tail: string; readonly missing: number } {
    const isWhole = this.#head.length + this.#tail.length === this.#length;
    const tail = isWhole ? this.#tail : this.#tail.slice(-this.#half);
    return { tail, missing: this.#length - this.#head.length - tail.length };
  }
}

function toNote(missing: number): string {
  return `(${missing.toLocaleString("en-US")} characters omitted.)`;
}
