/** Splits Markdown that is still being written into finished pieces and the rest. */

/**
 * Returns the ends of the pieces after `from` that later text cannot change: each ends at an empty line outside of fenced code and lists, so
 * that it can be laid out once and alone.
 */
export function finishedEnds(text: string, from = 0): readonly number[] {
  const ends: number[] = [];
  let fence: string | undefined;
  for (let start = from; start < text.length;) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    const line = text.slice(start, end);
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) fence = marks;
    else if (marks !== undefined && isClosing(line, marks, fence)) fence = undefined;
    start = end + 1;
    const isBlank = line.trim() === "";
    // An indented line after an empty one continues a list or a code block.
    const next = text[start];
    const isNewStart = next !== undefined && next !== " " && next !== "\t" && next !== "\n";
    if (
      isBlank &&
      fence === undefined &&
      isNewStart &&
      !continuesList(text, ends.at(-1) ?? from, start)
    ) {
      ends.push(start);
    }
  }
  return ends;
}

function isClosing(line: string, marks: string, fence: string): boolean {
  return marks[0] === fence[0] && marks.length >= fence.length && line.trim() === marks;
}

const item = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

/** An item after an empty line may belong to the list before it. Whether it is one cannot be told from half of a marker. */
function continuesList(text: string, from: number, start: number): boolean {
  const end = text.indexOf("\n", start);
  const line = end === -1 ? text.slice(start) : text.slice(start, end);
  const mayBeItem = item.test(line) || (end === -1 && /^(?:[-*+]|\d{1,9}[.)]?)$/.test(line));
  return mayBeItem && /^(?:[-*+]|\d{1,9}[.)])\s/m.test(text.slice(from, start));
}
