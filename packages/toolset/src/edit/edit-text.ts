/** Replaces passages of a text. Everything else stays the same, to the byte. */
import { findPassages, maxPassages } from "./find-passages.ts";
import type { Passage } from "./find-passages.ts";
import { nearestLines } from "./nearest-lines.ts";
import { unixLines } from "../files/unix-lines.ts";
import type { UnixLines } from "../files/unix-lines.ts";

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  /** Whether to replace every passage. Otherwise there must be exactly one. */
  readonly all?: boolean | undefined;
}

export type EditedText =
  | {
      readonly text: string;
      readonly count: number;
      /** Remarks for the model about passages that were not exactly as it wrote them. */
      readonly notes: readonly string[];
      readonly problems?: undefined;
    }
  | { readonly problems: readonly string[] };

interface Replacement extends Passage {
  /** Number of the edit, counted from 1. */
  readonly edit: number;
}

/** Every edit refers to the original text. Either all are made, or none. */
export function editText(text: string, edits: readonly TextEdit[]): EditedText {
  const lines = unixLines(text);
  const found = edits.map((edit, index) => replacementsOf(lines.text, edit, index + 1));
  const problems = found.filter((one) => typeof one === "string");
  if (problems.length > 0) return { problems };
  const ordered = found
    .flatMap((one) => (typeof one === "string" ? [] : one))
    .toSorted((one, other) => one.start - other.start || one.end - other.end);
  const overlap = ordered.findIndex((one, index) => one.start < (ordered[index - 1]?.end ?? 0));
  if (overlap > 0) {
    const [first, second] = [ordered[overlap - 1]?.edit, ordered[overlap]?.edit];
    return {
      problems: [`Edits ${first} and ${second} overlap. Combine them into one edit.`],
    };
  }
  const edited = replaceAll(lines, ordered);
  if (edited === text) return { problems: ["The edits change nothing: old and new are the same."] };
  return { text: edited, count: ordered.length, notes: notesOn(ordered) };
}

function notesOn(replacements: readonly Replacement[]): readonly string[] {
  return replacements.flatMap(({ edit, looksLike }) =>
    looksLike === undefined
      ? []
      : [
          `Edit ${edit}: the file has characters that only look like those of old: ${shown(looksLike)}`,
        ],
  );
}

const maxShownChars = 300;

function shown(text: string): string {
  return JSON.stringify(text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text);
}

function replacementsOf(
  text: string,
  edit: TextEdit,
  number: number,
): readonly Replacement[] | string {
  const old = unixLines(edit.old).text;
  if (old === "") return `Edit ${number}: old is empty. To create a file use write.`;
  const passages = findPassages(text, old, unixLines(edit.new).text);
  if (passages.length === 0) {
    const advice = hasLineNumbers(old) ? numbersAdvice : nearestLines(text, old);
    return `Edit ${number}: old was not found in the file.${advice}`;
  }
  if (passages.length > maxPassages) {
    return `Edit ${number}: old occurs more than ${maxPassages.toLocaleString("en-US")} times in the file. Use bash.`;
  }
  if (edit.all === true) {
    return withoutOverlaps(passages).map((passage) => ({ ...passage, edit: number }));
  }
  if (passages.length > 1) {
    const lines = passages.slice(0, 10).map(({ start }) => lineAt(text, start));
    const more = passages.length > 10 ? ", …" : "";
    return `Edit ${number}: old occurs ${passages.length} times in the file (lines ${lines.join(", ")}${more}). Include surrounding lines to make it unique, or set all to true.`;
  }
  return passages.map((passage) => ({ ...passage, edit: number }));
}

const numbersAdvice =
  " old begins with the line numbers that read adds: leave out each number and the tab after it.";

function hasLineNumbers(text: string): boolean {
  return text.split("\n").every((line) => line === "" || /^ *\d+\t/.test(line));
}

/** Keeps the first of overlapping passages, as in "aa" twice in "aaa". */
function withoutOverlaps(passages: readonly Passage[]): readonly Passage[] {
  let done = 0;
  return passages.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

function replaceAll(lines: UnixLines, ordered: readonly Replacement[]): string {
  const pieces: string[] = [lines.mark];
  let done = 0;
  for (const { start, end, replacement } of ordered) {
    pieces.push(lines.original(done, start), lines.toOriginalEnds(replacement));
    done = end;
  }
  pieces.push(lines.original(done, lines.text.length));
  return pieces.join("");
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}
