/** Makes text harmless to a terminal: a file or a model may contain escape sequences. */
import type { Io, Output } from "../process/io.ts";

/**
 * Removes control characters other than line breaks and tabs. Characters that are invisible or change the direction of text are shown by
 * their numbers, such as `<U+202E>`: text must not look like other text. Joiners stay, which emoji and several scripts need.
 */
export function toPrintable(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "").replace(hidden, shownByNumber);
}

const hidden = /(?![\u200C\u200D])\p{Cf}/gu;

function shownByNumber(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `<U+${number.toString(16).toUpperCase().padStart(4, "0")}>`;
}

export function toOneLine(text: string): string {
  return toPrintable(text.trimEnd().replaceAll(/[\n\t]+/g, " "));
}

/** Dims text if colours are wanted: on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb. */
export function toDim(text: string, output: Output, env: Io["env"]): string {
  const isWanted = output.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return isWanted ? `\u001b[2m${text}\u001b[22m` : text;
}
