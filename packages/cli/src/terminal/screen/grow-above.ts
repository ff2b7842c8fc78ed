/** Adds lines to the conversation without drawing again what is below it. */

export interface Frames {
  /** Lines of the window as they are. */
  readonly before: readonly string[];
  /** Lines as they shall be: those of the window, and more. */
  readonly after: readonly string[];
  /** Number of lines below the conversation, in both. */
  readonly belowCount: number;
  /** Row of the cursor, from 0. Terminals differ in what a saved cursor is after scrolling. */
  readonly cursorRow: number;
}

export interface Growth {
  /** Bytes for the terminal. The cursor stays in its row. */
  readonly output: string;
  /** Number of lines that have moved to the scrollback. */
  readonly count: number;
  /** Lines of the window after it. */
  readonly lines: readonly string[];
}

/**
 * Scrolls the rows of the conversation alone: terminals keep what leaves a region at the top of the window in their scrollback. Returns
 * undefined if nothing was added.
 */
export function growAbove({ before, after, belowCount, cursorRow }: Frames): Growth | undefined {
  const count = after.length - before.length;
  const bodyRows = before.length - belowCount;
  if (count <= 0 || bodyRows < 2) return undefined;
  const changed = before.slice(0, bodyRows).flatMap((line, row) => {
    const next = after[row] ?? "";
    return line === next ? [] : [`\u001b[${row + 1};1H\u001b[2K${next}`];
  });
  const added = after.slice(bodyRows, bodyRows + count).map((line) => `\r\n${line}`);
  const region = `\u001b[1;${bodyRows}r\u001b[${bodyRows};1H`;
  return {
    output: `\u001b[?2026h${changed.join("")}${region}${added.join("")}\u001b[r\u001b[${cursorRow + 1};1H\u001b[?2026l`,
    count,
    lines: [...after.slice(count, bodyRows + count), ...before.slice(bodyRows)],
  };
}
