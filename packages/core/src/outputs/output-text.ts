/** The text of an output: its text parts, one below the other. Places and lines of notes and pages are counted in it. */
import type { ToolContent } from "@capstan/kernel";

/** Whether it has more characters than that. Asked about every output. */
export function isLongerThan(content: ToolContent, chars: number): boolean {
  if (typeof content === "string") return content.length > chars;
  return textOf(content).length > chars;
}

export function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** How many lines there are before this place. */
export function linesBefore(text: string, place: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

/** A line break at the end begins no further line. */
export function countLines(text: string): number {
  return linesBefore(text, text.length - 1) + 1;
}

/** Numbers for people and models. Without the locale of the process, and in a tenth of its time. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
