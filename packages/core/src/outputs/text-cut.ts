/** Where a text may be cut: between lines, and never inside of a character. */

/** At most `chars` from the beginning. Behind a line, unless that would leave out half of what may be kept. */
export function cutHead(text: string, chars: number): number {
  if (text.length <= chars) return text.length;
  const behindLine = text.lastIndexOf("\n", chars - 1) + 1;
  return behindLine > 0 && behindLine * 2 >= chars ? behindLine : cutBefore(text, chars);
}

/** The place from which at most `chars` are left to the end: at the beginning of a line, in the same way. */
export function cutTail(text: string, chars: number): number {
  const start = text.length - chars;
  if (start <= 0) return 0;
  const line = text.indexOf("\n", start - 1) + 1;
  if (line > 0 && (text.length - line) * 2 >= chars) return line;
  return isInsidePair(text, start) ? start + 1 : start;
}

/** The place itself, or the one before it, if it is in the middle of a character of two units. */
export function cutBefore(text: string, place: number): number {
  return isInsidePair(text, place) ? place - 1 : place;
}

function isInsidePair(text: string, place: number): boolean {
  if (place <= 0 || place >= text.length) return false;
  return isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
