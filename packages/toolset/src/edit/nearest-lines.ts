/** Suggests what a model may have meant by a passage that is not in a text. */
import { revealed } from "./alike.ts";

const maxShownLines = 10;
const maxShownChars = 200;
/** Searching more would take too long. */
const maxSearchedLines = 20_000;
/** Minimum share of common letter pairs for two lines to count as similar. */
const minLikeness = 0.4;

/** Returns a sentence with the nearest lines, numbered, or advice if no line is similar. */
export function nearestLines(text: string, wanted: string): string {
  const wantedLines = wanted.split("\n");
  const offset = wantedLines.findIndex((line) => line.trim() !== "");
  const pairs = pairsOf(wantedLines[Math.max(offset, 0)] ?? "");
  const lines = text.split("\n");
  let best = { line: -1, likeness: minLikeness };
  for (const [line, content] of lines.slice(0, maxSearchedLines).entries()) {
    const likeness = likenessOf(pairs, pairsOf(content));
    if (likeness > best.likeness) best = { line, likeness };
  }
  if (best.line < 0) return " No similar lines: read the file first.";
  const first = Math.max(0, best.line - Math.max(offset, 0));
  const shown = lines.slice(first, first + Math.min(wantedLines.length, maxShownLines));
  const numbered = shown.map(
    (line, index) => `${first + index + 1}: ${revealed(line.slice(0, maxShownChars))}`,
  );
  return ` The nearest lines are:\n${numbered.join("\n")}`;
}

function pairsOf(line: string): ReadonlySet<string> {
  const letters = line.trim().slice(0, maxShownChars);
  if (letters.length === 1) return new Set([letters]);
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}

function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common += 1;
  return (2 * common) / (one.size + other.size);
}
