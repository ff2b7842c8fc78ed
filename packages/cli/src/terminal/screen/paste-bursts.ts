/** Finds pastes in terminals that do not mark them. */

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";

/** Chunks that follow a paste so soon belong to it. */
const followMs = 30;

/**
 * A chunk that has text after a line break was pasted, as keys come one by one. Its line breaks must not send the prompt line by line.
 */
export class PasteBursts {
  readonly #onKeys: (text: string) => void;
  readonly #onPaste: (text: string) => void;
  readonly #now: () => number;
  /** True while keys may have waited: several of them come at once then, too. */
  isOff = false;
  #lastAt = -Infinity;
  /** The end of the last input: a mark may come in two pieces. */
  #tail = "";
  /** True inside of a marked paste, which may come in many pieces. */
  #isInMarked = false;

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
    const isMarked = this.#isInMarked || text.includes("\u001b");
    this.#followMarks(text);
    const isBurst = /[\r\n]+[^\r\n]/.test(text);
    const isFollowing = text.length > 1 && now - this.#lastAt < followMs;
    if (isMarked || this.isOff || !(isBurst || isFollowing)) return this.#onKeys(text);
    this.#lastAt = now;
    this.#onPaste(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n"));
  }

  #followMarks(text: string): void {
    const seen = `${this.#tail}${text}`;
    this.#tail = seen.slice(1 - pasteEnd.length);
    const [start, end] = [seen.lastIndexOf(pasteStart), seen.lastIndexOf(pasteEnd)];
    if (start !== end) this.#isInMarked = start > end;
  }
}
