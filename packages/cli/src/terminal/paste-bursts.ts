/** Finds pastes in terminals that do not mark them. */

/** Chunks that follow a paste so soon belong to it. */
const followMs = 30;

/**
 * A chunk that has text after a line break was pasted, as keys come one by one. Its line breaks must not send the prompt line by line.
 */
export class PasteBursts {
  readonly #onKeys: (text: string) => void;
  readonly #onPaste: (text: string) => void;
  readonly #now: () => number;
  #lastAt = -Infinity;

  constructor(
    onKeys: (text: string) => void,
    onPaste: (text: string) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#onKeys = onKeys;
    this.#onPaste = onPaste;
    this.#now = now;
  }

  take(text: string): void {
    const now = this.#now();
    const isMarked = text.includes("\u001b");
    const isBurst = /[\r\n]+[^\r\n]/.test(text);
    const isFollowing = text.length > 1 && now - this.#lastAt < followMs;
    if (isMarked || !(isBurst || isFollowing)) return this.#onKeys(text);
    this.#lastAt = now;
    this.#onPaste(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
  }
}
