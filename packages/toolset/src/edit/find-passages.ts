/** Finds a passage that a model wrote from memory: exactly, or except for spaces around its lines. */

export interface Passage {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
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
  return exact.length > 0 ? exact : findLoosely(text, wanted, replacement);
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
