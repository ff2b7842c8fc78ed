/** Notes that the model reads instead of omitted output. */
import type { ToolMessage } from "@capstan/kernel";
import type { Gap } from "./bound-output.ts";
import { countLines, grouped, linesBefore, textOf } from "./output-text.ts";

/** Name of the tool that reads omitted output. */
export const readOutputName = "read_output";

/** Whether and how the rest can be read. */
export type Rest =
  | { readonly type: "kept"; readonly reference: string }
  | { readonly type: "lost" };

export function gapNote({ text, start, end }: Gap, rest: Rest, canRead: boolean): string {
  const first = linesBefore(text, start) + 1;
  const last = linesBefore(text, end - 1) + 1;
  const lines = countLines(text);
  const where =
    lines === 1 ? "" : ` (lines ${grouped(first)} to ${grouped(last)} of ${grouped(lines)})`;
  const what = `${grouped(end - start)} of ${grouped(text.length)} characters are left out here${where}.`;
  return `[… ${what} ${howToRead(rest, canRead, first)}]`;
}

function howToRead(rest: Rest, canRead: boolean, from: number): string {
  if (rest.type === "lost") return "They could not be stored and cannot be read.";
  if (!canRead) return `Reference: ${rest.reference}`;
  return `To read them: ${readOutputName} with reference "${rest.reference}" and from: ${from}, or a text to search for.`;
}

/** Replaces an evicted output. Short, as a long session has thousands; the tool explains how to read them. */
export function evictedNote(message: ToolMessage): string {
  return `(This output was left out to save space: ${describe(message)}. Reference: ${message.toolCallId})`;
}

function describe({ content, kept }: ToolMessage): string {
  const chars = kept?.chars ?? textOf(content).length;
  const media =
    typeof content === "string"
      ? []
      : content.flatMap((part) =>
          part.type === "text"
            ? []
            : `${part.type === "image" ? "an image" : "a document"} (${part.mediaType})`,
        );
  const text = chars === 0 && media.length > 0 ? [] : [`${grouped(chars)} characters`];
  return [...text, ...media].join(", ");
}
