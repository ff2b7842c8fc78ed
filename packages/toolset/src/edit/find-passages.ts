/** Finds a passage that a model wrote from memory: exactly, or except for spaces around its lines, or for characters that look alike. */
import { revealed, toAlike } from "./alike.ts";

export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** Set if the passage only looks like the wanted one: the passage, with such characters as code points. */
  readonly looksLike?: string;
}

/** The search stops above this count. */
export const maxPassages = 100_000;

/** In order, including overlapping ones. Inexact ones only if there is no exact one. */
export function findPassages(
  text: string,
  wanted: string,
  replacement: string,
): readonly Passage[] {
  const exact = findExact(text, wanted, replacement);
  if (exact.length > 0) return exact;
  const loose = findLoosely(text, wanted, replacement);
  return loose.length > 0 ? loose : findAlike(text, wanted, replacement);
}

/** Keeps the characters of the file where the replacement does not differ from the wanted passage. */
function findAlike(text: string, wanted: string, replacement: string): readonly Passage[] {
  const [within, sought] = [toAlike(text), toAlike(wanted).text];
  if (sought.trim() === "") return [];
  const head = commonLength(wanted, replacement, (each, at) => each[at]);
  const most = Math.min(wanted.length, replacement.length) - head;
  const tail = Math.min(
    most,
    commonLength(wanted, replacement, (each, at) => each[each.length - 1 - at]),
  );
  const [before, after] = [
    toAlike(wanted.slice(0, head)).text.length,
    toAlike(wanted.slice(wanted.length - tail)).text.length,
  ];
  return findExact(within.text, sought, "").map(({ start, end }) => ({
    start: before === 0 ? within.start(start) : within.end(start + before - 1),
    end: after === 0 ? within.end(end - 1) : within.start(end - after),
    replacement: replacement.slice(head, replacement.length - tail),
    looksLike: revealed(text.slice(within.start(start), within.end(end - 1))),
  }));
}

function commonLength(
  one: string,
  other: string,
  at: (text: string, index: number) => string | undefined,
): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && at(one, length) === at(other, length)) length += 1;
  return length;
}

function findExact(text: string, wanted: string, replacement: string): readonly Passage[] {
  const passages: Passage[] = [];
  for (let start = text.indexOf(wanted); start >= 0; start = text.indexOf(wanted, start + 1)) {
    passages.push({ start, end: start + wanted.length, replacement });
    if (passages.length > maxPassages) break;
  }
  return passages;
}

/**
 * Finds whole lines that match except for trailing spaces and a common indentation, which may be deeper or shallower. The
 * replacement is shifted by the same amount. Lines indented in any other way do not match: the position of new lines would be a guess.
 */
function findLoosely(text: string, wanted: string, replacement: string): readonly Passage[] {
  const endsLine = wanted.endsWith("\n");
  const wantedLines = (endsLine ? wanted.slice(0, -1) : wanted).split("\n");
  const anchor = wantedLines.findIndex((line) => line.trim() !== "");
  if (anchor < 0) return [];
  const lines = text.split("\n");
  const trimmed = lines.map((line) => line.trim());
  const wantedTrimmed = wantedLines.map((line) => line.trim());
  const passages: Passage[] = [];
  let start = 0;
  for (let first = 0; first + wantedLines.length <= lines.length; first += 1) {
    if (wantedTrimmed.every((line, index) => line === trimmed[first + index])) {
      const found = lines.slice(first, first + wantedLines.length);
      const moved = shiftOf(found, wantedLines, anchor)?.(replacement);
      const end = start + found.join("\n").length;
      const isLast = first + wantedLines.length === lines.length;
      if (moved !== undefined) {
        passages.push({ start, end: end + (endsLine && !isLast ? 1 : 0), replacement: moved });
      }
    }
    start += (lines[first] ?? "").length + 1;
  }
  return passages;
}

type Shift = (replacement: string) => string | undefined;

function shiftOf(
  found: readonly string[],
  wanted: readonly string[],
  anchor: number,
): Shift | undefined {
  const [deep, shallow] = [indentOf(found[anchor] ?? ""), indentOf(wanted[anchor] ?? "")];
  if (deep.endsWith(shallow)) {
    const added = deep.slice(0, deep.length - shallow.length);
    return areShifted(found, wanted, added) ? (text) => indent(text, added) : undefined;
  }
  if (!shallow.endsWith(deep)) return undefined;
  const removed = shallow.slice(0, shallow.length - deep.length);
  return areShifted(wanted, found, removed) ? (text) => outdent(text, removed) : undefined;
}

function areShifted(
  deeper: readonly string[],
  shallower: readonly string[],
  prefix: string,
): boolean {
  return deeper.every(
    (line, index) =>
      line.trim() === "" || indentOf(line) === prefix + indentOf(shallower[index] ?? ""),
  );
}

function indent(text: string, added: string): string {
  return text.replace(/^(?=[^\n]*\S)/gm, () => added);
}

function outdent(text: string, removed: string): string | undefined {
  const lines = text.split("\n");
  if (!lines.every((line) => line.trim() === "" || line.startsWith(removed))) return undefined;
  return lines
    .map((line) => (line.startsWith(removed) ? line.slice(removed.length) : line))
    .join("\n");
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}
