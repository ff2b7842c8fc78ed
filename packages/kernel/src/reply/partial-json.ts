/** Parses JSON that is still being written, for display. */
import type { JsonValue } from "../contracts/conversation.ts";

/**
 * Parses the value so far: closes open lists, objects and strings, and drops incomplete keys, escapes and numbers. Returns undefined
 * if there is no value yet, or if the text is not the beginning of JSON. Takes linear time and never throws.
 *
 * For display only: incomplete arguments look complete here, so nothing may be run with the result.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const whole = completed(text);
  try {
    return whole === "" ? undefined : (JSON.parse(whole) as JsonValue);
  } catch {
    // No beginning of JSON, as the result says.
    return undefined;
  }
}

/** The text up to its last complete value, with open containers closed. Whether that is JSON is left to the parser. */
function completed(text: string): string {
  /** Closing brackets of the open containers, the innermost last. */
  const closers: string[] = [];
  /** Index after the last value, or after the last opening bracket. */
  let end = 0;
  let isKey = false;
  for (let at = 0; at < text.length;) {
    const char = text.charAt(at);
    if (char === "{" || char === "[") {
      closers.push(char === "{" ? "}" : "]");
      isKey = char === "{";
      end = ++at;
    } else if (char === "}" || char === "]") {
      closers.pop();
      isKey = false;
      end = ++at;
    } else if (char === '"') {
      const after = endOfString(text, at + 1);
      if (after === -1) return isKey ? close(text, end, "", closers) : closeString(text, closers);
      if (!isKey) end = after;
      at = after;
    } else if (char === "," || char === ":") {
      isKey = char === "," && closers.at(-1) === "}";
      at++;
    } else if (isSpace(char)) at++;
    else {
      const after = endOfWord(text, at);
      if (after === text.length) return closeWord(text, at, end, closers);
      end = at = after;
    }
  }
  return close(text, end, "", closers);
}

function close(text: string, end: number, tail: string, closers: readonly string[]): string {
  return text.slice(0, end) + tail + closers.toReversed().join("");
}

/** Returns the index after the closing quote of a string, or -1. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    if (backslashesBefore(text, quote) % 2 === 0) return quote + 1;
  }
  return -1;
}

/** Closes a truncated string, before a truncated escape or half of a surrogate pair. */
function closeString(text: string, closers: readonly string[]): string {
  const last = text.lastIndexOf("\\");
  const length = text[last + 1] === "u" ? 6 : 2;
  const isCut = isEscape(text, last) && last + length > text.length;
  return close(text, withoutHalf(text, isCut ? last : text.length), '"', closers);
}

/** End of the text without a trailing high surrogate, written literally or as an escape. */
function withoutHalf(text: string, end: number): number {
  if (/^[\ud800-\udbff]/.test(text.charAt(end - 1))) return end - 1;
  const isHalf = /^\\ud[89ab][\da-f]{2}$/i.test(text.slice(end - 6, end));
  return isHalf && isEscape(text, end - 6) ? end - 6 : end;
}

function isEscape(text: string, at: number): boolean {
  return at !== -1 && backslashesBefore(text, at) % 2 === 0;
}

function backslashesBefore(text: string, at: number): number {
  let start = at;
  while (text.charAt(start - 1) === "\\") start--;
  return at - start;
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !/[\s,:{}[\]"]/.test(text.charAt(at))) at++;
  return at;
}

/** The last word may be incomplete: keeps the valid prefix of a number, and completes `true`, `false` and `null`. */
function closeWord(text: string, start: number, end: number, closers: readonly string[]): string {
  const word = text.slice(start);
  const literal = ["true", "false", "null"].find((known) => known.startsWith(word));
  if (literal !== undefined) return close(text, start, literal, closers);
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(word)?.[0];
  return number === undefined ? close(text, end, "", closers) : close(text, start, number, closers);
}

function isSpace(char: string): boolean {
  return char === " " || char === "\n" || char === "\r" || char === "\t";
}
