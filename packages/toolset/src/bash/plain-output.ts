/** Output of commands as plain text: without the sequences that control a terminal, and without lines that were written over. */
import { stripVTControlCharacters } from "node:util";

const escape = "\u001b";
/** Longer sequences are no sequences. */
const maxSequenceChars = 256;

/** Removes control sequences from text that arrives in pieces. */
export class PlainOutput {
  #held = "";

  /** Returns the text without control sequences. One that is incomplete at the end is held back. */
  take(text: string): string {
    const whole = this.#held + text;
    const start = incompleteAt(whole);
    this.#held = whole.slice(start);
    return plain(whole.slice(0, start));
  }

  /** Returns what was held back. */
  end(): string {
    const rest = plain(this.#held);
    this.#held = "";
    return rest;
  }
}

/** Position of a sequence that has begun and not ended; the end of the text if there is none. */
function incompleteAt(text: string): number {
  // A carriage return may be the first half of a line end.
  const end = text.endsWith("\r") ? text.length - 1 : text.length;
  const at = text.lastIndexOf(escape);
  if (at < 0 || text.length - at > maxSequenceChars) return end;
  const isComplete =
    stripVTControlCharacters(`${text.slice(at)}.`).endsWith(".") && !isOpen(text.slice(at));
  return isComplete ? end : Math.min(at, end);
}

/** Whether a sequence has no final character yet. */
function isOpen(sequence: string): boolean {
  const body = sequence.slice(1);
  if (body === "" || body === "[") return true;
  if (body.startsWith("[")) return !/^\[[\d;:?<=>!]*[ -/]*[@-~]/.test(body);
  // A title or a link ends with a bell or a string terminator.
  if (body.startsWith("]")) return !body.includes("\u0007") && !body.includes(`${escape}\\`);
  return false;
}

function plain(text: string): string {
  return stripVTControlCharacters(text);
}

/** Text as a terminal would show it in the end: what was written over, line by line, is left out. */
export function withoutOverwritten(text: string): string {
  if (!text.includes("\r") && !text.includes("\b")) return text;
  return text
    .replaceAll(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => withoutBackspaces(lastWritten(line)))
    .join("\n");
}

function lastWritten(line: string): string {
  const parts = line.split("\r");
  return parts.findLast((part) => part !== "") ?? "";
}

function withoutBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  let shown = "";
  for (const character of line) {
    shown = character === "\b" ? shown.slice(0, -1) : shown + character;
  }
  return shown;
}
