/** Bounds an output that is too long: its beginning, its end, and a note about the gap. */
import type { TextPart, ToolContent, ToolContentPart } from "@capstan/kernel";
import { cutHead, cutTail } from "./text-cut.ts";
import { textOf } from "./output-text.ts";

/** Range of the output's text that is left out. */
export interface Gap {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Characters of the limit reserved for the note. */
const noteChars = 400;

/** Returns the content with at most this many characters of text. Media stay, even if the text around them is left out. */
export function boundOutput(
  content: ToolContent,
  maxChars: number,
  note: (gap: Gap) => string,
): ToolContent {
  const text = textOf(content);
  const budgetChars = Math.max(0, Math.floor(maxChars / 2), maxChars - noteChars);
  const gap = gapIn(text, budgetChars);
  if (typeof content === "string") return aroundGap(content, gap.start, gap.end, note(gap));
  return withGap(content, gap, note(gap));
}

function gapIn(text: string, budgetChars: number): Gap {
  const start = cutHead(text, Math.ceil(budgetChars / 2));
  const end = Math.max(start, cutTail(text, Math.floor(budgetChars / 2)));
  return { text, start, end };
}

function aroundGap(text: string, start: number, end: number, note: string): string {
  const head = text.slice(0, start);
  const tail = text.slice(end);
  const above = head === "" || head.endsWith("\n") ? "" : "\n";
  return `${head}${above}${note}${tail === "" ? "" : "\n"}${tail}`;
}

/** Inserts the note at the start of the gap. */
function withGap(
  content: readonly ToolContentPart[],
  gap: Gap,
  note: string,
): readonly ToolContentPart[] {
  const shown: ToolContentPart[] = [];
  let place = 0;
  let isNoted = false;
  for (const part of content) {
    if (part.type !== "text") {
      shown.push(part);
      continue;
    }
    const end = place + part.text.length;
    // A part that ends at the start of the gap is complete.
    const isCut = gap.start < end && gap.end > place;
    if (!isCut) shown.push(part);
    else {
      const [from, to] = [
        Math.max(0, gap.start - place),
        Math.min(part.text.length, gap.end - place),
      ];
      const text = isNoted ? part.text.slice(to) : aroundGap(part.text, from, to, note);
      if (text !== "") shown.push(textPart(text));
      isNoted = true;
    }
    // One for the line break between two parts.
    place = end + 1;
  }
  return shown;
}

function textPart(text: string): TextPart {
  return { type: "text", text };
}
