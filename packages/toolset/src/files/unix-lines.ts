/** Normalizes a text to what models write, without byte order mark and with `\n`, and maps back to the original. */

export interface UnixLines {
  readonly text: string;
  /** The original's byte order mark, if it has one. */
  readonly mark: string;
  /** Returns the original text of a range of `text`. */
  original(start: number, end: number): string;
  /** Returns new text with the line ends that most lines of the original have. */
  toOriginalEnds(text: string): string;
}

export function unixLines(original: string): UnixLines {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const body = original.slice(mark.length);
  const text = body.replaceAll("\r\n", "\n");
  const dropped = text.length === body.length ? [] : endsOf(body);
  const isWindows = dropped.length > text.split("\n").length - 1 - dropped.length;
  /** A position before a line end is before both of its characters. */
  const toOriginal = (position: number): number => position + countBelow(dropped, position);
  return {
    text,
    mark,
    original: (start, end) => body.slice(toOriginal(start), toOriginal(end)),
    toOriginalEnds: (added) => (isWindows ? added.replaceAll("\n", "\r\n") : added),
  };
}

/** Positions of the `\r\n` of a text after conversion to `\n`. */
function endsOf(body: string): readonly number[] {
  const positions: number[] = [];
  for (let at = body.indexOf("\r\n"); at >= 0; at = body.indexOf("\r\n", at + 2)) {
    positions.push(at - positions.length);
  }
  return positions;
}

function countBelow(ordered: readonly number[], limit: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
