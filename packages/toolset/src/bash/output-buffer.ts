/** What a command wrote: all of it, or its beginning and its end, in bounded memory. */

export class OutputBuffer {
  readonly #half: number;
  #head = "";
  #tail = "";
  #length = 0;

  constructor(maxChars: number) {
    this.#half = Math.floor(maxChars / 2);
  }

  /** Of everything that was written. */
  get length(): number {
    return this.#length;
  }

  push(text: string): void {
    this.#length += text.length;
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    // Not at every push: a cut copies what is kept.
    if (this.#tail.length > 2 * this.#half) this.#tail = this.#tail.slice(-this.#half);
  }

  /** All of it; what is not kept is replaced by a note that says how much it was. */
  get text(): string {
    const { tail, missing } = this.#kept();
    return missing === 0 ? this.#head + tail : `${this.#head}\n${toNote(missing)}\n${tail}`;
  }

  /** From a place in everything that was written; `next` is the place to go on from. */
  part(place: number, maxChars: number): { readonly text: string; readonly next: number } {
    const { tail, missing } = this.#kept();
    if (missing === 0 || place < this.#head.length) {
      const kept = missing === 0 ? this.#head + tail : this.#head;
      const text = kept.slice(place, place + maxChars);
      return { text, next: Math.min(place, this.#length) + text.length };
    }
    const tailStart = this.#length - tail.length;
    const skipped = Math.max(0, tailStart - place);
    const start = Math.max(0, place - tailStart);
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
  return `(${missing.toLocaleString("en-US")} characters are left out here.)`;
}
