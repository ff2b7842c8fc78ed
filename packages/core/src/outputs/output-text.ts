/** Text of an output: its text parts, joined by line breaks. Positions and lines in notes and pages refer to it. */
import type { ToolContent } from "@capstan/kernel";

/** Whether it has more characters than this. Called for every output. */
export function isLongerThan(content: ToolContent, chars: number): boolean {
  if (typeof content === "string") return content.length > chars;
  return textOf(content).length > chars;
}

export function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** Number of lines before this position. */
export function linesBefore(text: string, place: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

/** A line break at the end starts no further line. */
export function countLines(text: string): number {
  return linesBefore(text, text.length - 1) + 1;
}

/** Number with thousands separators. Independent of the locale, and ten times faster than `toLocaleString`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
