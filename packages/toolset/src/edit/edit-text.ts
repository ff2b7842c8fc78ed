/** Replaces passages of a text. Everything else stays as it is, to the byte. */
import { findPassages, maxPassages } from "./find-passages.ts";
import type { Passage } from "./find-passages.ts";
import { nearestLines } from "./nearest-lines.ts";
import { unixLines } from "../files/unix-lines.ts";
import type { UnixLines } from "../files/unix-lines.ts";

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  /** Replace every passage. Without it there must be exactly one. */
  readonly all?: boolean | undefined;
}

export type EditedText =
  | { readonly text: string; readonly count: number; readonly problems?: undefined }
  | { readonly problems: readonly string[] };

interface Replacement extends Passage {
  /** Which edit it is of, counted from 1. */
  readonly edit: number;
}

/** Every edit is about the text as it was, and all are made or none. */
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
      problems: [`Edits ${first} and ${second} change the same place. Make one edit of them.`],
    };
  }
  const edited = replaceAll(lines, ordered);
  if (edited === text) return { problems: ["The edits change nothing: old and new are the same."] };
  return { text: edited, count: ordered.length };
}

function replacementsOf(
  text: string,
  edit: TextEdit,
  number: number,
): readonly Replacement[] | string {
  const old = unixLines(edit.old).text;
  if (old === "") return `Edit ${number}: old is empty. To write a new file use write.`;
  const passages = findPassages(text, old, unixLines(edit.new).text);
  if (passages.length === 0) {
    return `Edit ${number}: old is not in the file.${nearestLines(text, old)}`;
  }
  if (passages.length > maxPassages) {
    return `Edit ${number}: old is in the file more than ${maxPassages.toLocaleString("en-US")} times. Use bash.`;
  }
  if (edit.all === true) {
    return withoutOverlaps(passages).map((passage) => ({ ...passage, edit: number }));
  }
  if (passages.length > 1) {
    const lines = passages.slice(0, 10).map(({ start }) => lineAt(text, start));
    const more = passages.length > 10 ? ", …" : "";
    return `Edit ${number}: old is in the file ${passages.length} times (lines ${lines.join(", ")}${more}). Add lines around it that make it unique, or set all to true.`;
  }
  return passages.map((passage) => ({ ...passage, edit: number }));
}

/** The first of those that share characters, as in "aa" twice in "aaa". */
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

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}
