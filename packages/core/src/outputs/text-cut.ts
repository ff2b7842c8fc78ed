/** Cuts texts between lines, and never inside a character. */

/** End of the head, at most `chars` long. After a line break, unless that would drop half of what may be kept. */
export function cutHead(text: string, chars: number): number {
  if (text.length <= chars) return text.length;
  const behindLine = text.lastIndexOf("\n", chars - 1) + 1;
  return behindLine > 0 && behindLine * 2 >= chars ? behindLine : cutBefore(text, chars);
}

/** Start of the tail, at most `chars` long. At the start of a line, by the same rule. */
export function cutTail(text: string, chars: number): number {
  const start = text.length - chars;
  if (start <= 0) return 0;
  const line = text.indexOf("\n", start - 1) + 1;
  if (line > 0 && (text.length - line) * 2 >= chars) return line;
  return isInsidePair(text, start) ? start + 1 : start;
}

/** The position itself, or the one before it if it splits a surrogate pair. */
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
