/** A text as models write it, without byte order mark and with `\n` between lines, and the way back to how it was. */

export interface UnixLines {
  readonly text: string;
  /** The byte order mark of the original, if it has one. */
  readonly mark: string;
  /** What stands in the original for a range of `text`. */
  original(start: number, end: number): string;
  /** New text with the line ends that most lines of the original have. */
  toOriginalEnds(text: string): string;
}

export function unixLines(original: string): UnixLines {
  const mark = original.startsWith("\ufeff") ? "\ufeff" : "";
  const body = original.slice(mark.length);
  const text = body.replaceAll("\r\n", "\n");
  const dropped = text.length === body.length ? [] : endsOf(body);
  const isWindows = dropped.length > text.split("\n").length - 1 - dropped.length;
  /** A place before a line end is before both of its characters. */
  const toOriginal = (place: number): number => place + countBelow(dropped, place);
  return {
    text,
    mark,
    original: (start, end) => body.slice(toOriginal(start), toOriginal(end)),
    toOriginalEnds: (added) => (isWindows ? added.replaceAll("\n", "\r\n") : added),
  };
}

/** Where the `\r\n` of a text are once they are `\n`. */
function endsOf(body: string): readonly number[] {
  const places: number[] = [];
  for (let at = body.indexOf("\r\n"); at >= 0; at = body.indexOf("\r\n", at + 2)) {
    places.push(at - places.length);
  }
  return places;
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
