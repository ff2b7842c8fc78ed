/** What a model is shown of an output that is too long: the beginning, the end, and a note about what is between them. */
import type { TextPart, ToolContent, ToolContentPart } from "@capstan/kernel";
import { cutHead, cutTail } from "./text-cut.ts";
import { textOf } from "./output-text.ts";

/** What is left out, as places in the text of the output. */
export interface Gap {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** So much of the limit is for the note. */
const noteChars = 400;

/** The same content with at most so many characters of text. Media stay, whatever text is left out around them. */
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

/** The note comes where the gap begins. */
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
    // A part that ends where the gap begins is whole.
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
    // One for the line between two parts.
    place = end + 1;
  }
  return shown;
}

function textPart(text: string): TextPart {
  return { type: "text", text };
}
