/** Answers of the terminal to queries. They arrive among the keys, in pieces or late, and must never become text. */
import type { Rgb } from "./contracts.ts";

export interface AnswerListeners {
  /** Whether keys arrive in Kitty's format. */
  readonly onKitty: (isActive: boolean) => void;
  readonly onBackground: (colour: Rgb) => void;
  /** Comes last, in any terminal. */
  readonly onAttributes: () => void;
}

const escape = "\u001b";

export class TerminalAnswers {
  readonly #listeners: AnswerListeners;
  /** True after the beginning of an answer whose rest has not come in time. */
  #isCutOff = false;
  /** True if the last input ended with an escape, which may have been the first byte of an answer. */
  #isEscaped = false;

  constructor(listeners: AnswerListeners) {
    this.#listeners = listeners;
  }

  /** Gives an answer its escape back, if that came alone and was taken for the key. */
  join(text: string): string {
    const isRest = this.#isEscaped && /^(?:\]1[01];|\[\?[\d;]*[uc])/.test(text);
    this.#isEscaped = text.endsWith(escape);
    return isRest ? `${escape}${text}` : text;
  }

  /** True if the key is an answer, or a piece of one. */
  take(key: string): boolean {
    if (this.#isCutOff) return this.#takeRest(key);
    if (key.startsWith(`${escape}]`) && key.length > 2) {
      this.#isCutOff = !isEnded(key);
      const colour = backgroundIn(key);
      if (colour !== undefined) this.#listeners.onBackground(colour);
      return true;
    }
    // oxlint-disable-next-line no-control-regex -- Answers of terminals begin with an escape.
    const [, flags, end] = /^\u001b\[\?([\d;]*)([uc])$/.exec(key) ?? [];
    if (end === "u") this.#listeners.onKitty(flags !== "0");
    else if (end === "c") this.#listeners.onAttributes();
    return end !== undefined;
  }

  /** Letters of a colour belong to the answer; anything else is a key again. */
  #takeRest(key: string): boolean {
    const isEnd = isEnded(key);
    this.#isCutOff = !isEnd && /^[\da-f:/;rgb?]$/i.test(key);
    return isEnd || this.#isCutOff;
  }
}

function isEnded(answer: string): boolean {
  return answer.endsWith("\u0007") || answer.endsWith(`${escape}\\`);
}

/** From `rgb:ffff/ffff/ffff`, with one to four digits each. */
function backgroundIn(answer: string): Rgb | undefined {
  const [, ...digits] = /\]11;rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)/i.exec(answer) ?? [];
  const [r, g, b] = digits.map(
    (part) => (Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255,
  );
  return r === undefined || g === undefined || b === undefined ? undefined : { r, g, b };
}
