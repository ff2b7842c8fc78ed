/** Pages of an output: some lines, a piece of a long line, or the matches of a text. */
import { countLines, grouped } from "./output-text.ts";
import { cutBefore } from "./text-cut.ts";

export interface PageRequest {
  /** First line, counted from 1. */
  readonly from?: number;
  /** Last line. */
  readonly to?: number;
  /** First character in the first line, counted from 1. */
  readonly char?: number;
}

/** Lines shown around each match. */
const contextLines = 2;
/** Characters shown of a line. */
const excerptChars = 300;
/** Characters shown for one match. */
const blockChars = excerptChars * (2 * contextLines + 1);

/** Returns the page with a note: what it contains, and how to continue. */
export function pageOf(text: string, request: PageRequest, maxChars: number): string {
  const { from = 1, to = Infinity, char = 1 } = request;
  const lines = countLines(text);
  if (from > lines) return `(There are only ${grouped(lines)} lines.)`;
  const line = placeOfLine(text, from);
  const start = cutBefore(text, Math.min(line + char - 1, text.length));
  const wanted = to >= lines ? text.length : Math.max(start, placeOfLine(text, to + 1));
  if (wanted - start <= maxChars) return page(text, { from, start, end: wanted }, lines);
  const behindLine = text.lastIndexOf("\n", start + maxChars - 1) + 1;
  if (behindLine > start) return page(text, { from, start, end: behindLine }, lines);
  return pieceOfLine(text, { from, line, start, lines }, maxChars);
}

function page(
  text: string,
  { from, start, end }: { readonly from: number; readonly start: number; readonly end: number },
  lines: number,
): string {
  const shown = text.slice(start, end);
  const last = from + countLines(shown) - 1;
  const next = end < text.length ? ` Continue with from: ${last + 1}.` : "";
  return `(Lines ${grouped(from)} to ${grouped(last)} of ${grouped(lines)}.${next})\n${shown}`;
}

function pieceOfLine(
  text: string,
  at: {
    readonly from: number;
    readonly line: number;
    readonly start: number;
    readonly lines: number;
  },
  maxChars: number,
): string {
  const { from, line, start, lines } = at;
  // At least one character, however small the budget is.
  const end = Math.max(start + 1, cutBefore(text, start + maxChars));
  const first = start - line + 1;
  const last = end - line;
  return `(Line ${grouped(from)} of ${grouped(lines)}, characters ${grouped(first)} to ${grouped(last)}. Continue with from: ${from}, char: ${last + 1}.)\n${text.slice(start, end)}`;
}

/** Position of a match. */
interface Hit {
  readonly line: number;
  /** Column in that line, counted from 0. */
  readonly column: number;
}

/** Returns the lines with a match, numbered, with the lines around them. The text sought may have several lines. */
export function findIn(
  text: string,
  sought: string,
  { from = 1, to = Infinity }: PageRequest,
  maxChars: number,
): string {
  const hits = hitsIn(text, sought, from, to);
  if (hits.length === 0) return `(No match${from === 1 ? "" : ` from line ${from} on`}.)`;
  const all = text.split("\n");
  const last = countLines(text);
  const behind = countLines(sought) - 1 + contextLines;
  const shown = new Map<number, string>();
  let chars = 0;
  let next = "";
  for (const { line, column } of hits) {
    if (chars > 0 && chars + blockChars > maxChars) {
      next = ` The first of them are shown: go on with from: ${line}.`;
      break;
    }
    for (let n = Math.max(1, line - contextLines); n <= Math.min(last, line + behind); n++) {
      if (n !== line && shown.has(n)) continue;
      // In range.
      const excerpt = around(all[n - 1] as string, n === line ? column : 0);
      shown.set(n, `${n}${n === line ? ":" : "-"} ${excerpt}`);
      chars += excerpt.length;
    }
  }
  const times = `${grouped(hits.length)} ${hits.length === 1 ? "line" : "lines"}`;
  return `(Found in ${times} of ${grouped(last)}.${next})\n${withGaps(shown)}`;
}

/** One match per line. */
function hitsIn(text: string, sought: string, from: number, to: number): readonly Hit[] {
  const hits: Hit[] = [];
  let line = from;
  let start = placeOfLine(text, from);
  for (let at = text.indexOf(sought, start); at !== -1; at = text.indexOf(sought, start)) {
    for (let end = text.indexOf("\n", start); end !== -1 && end < at;) {
      line++;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    if (line > to) break;
    hits.push({ line, column: at - start });
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    line++;
    start = end + 1;
  }
  return hits;
}

function withGaps(shown: ReadonlyMap<number, string>): string {
  const lines: string[] = [];
  let before: number | undefined;
  for (const [number, line] of shown) {
    if (before !== undefined && number > before + 1) lines.push("--");
    lines.push(line);
    before = number;
  }
  return lines.join("\n");
}

function around(line: string, middle: number): string {
  if (line.length <= excerptChars) return line;
  const start = cutBefore(line, Math.max(0, middle - excerptChars / 2));
  const end = cutBefore(line, Math.min(line.length, start + excerptChars));
  const place = start === 0 ? "" : `(from character ${grouped(start + 1)}) …`;
  return `${place}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

function placeOfLine(text: string, line: number): number {
  let place = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf("\n", place);
    if (end === -1) return text.length;
    place = end + 1;
  }
  return place;
}
