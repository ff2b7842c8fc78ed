/** Converts the AI SDK's form of a tool output. */
import type { ToolContent, ToolContentPart } from "@capstan/kernel";
import type { Fields } from "./fields.ts";
import { isFields, textIn } from "./fields.ts";
import { readFile, readFilePart } from "./read-media.ts";

export interface ReadOutput {
  readonly content: ToolContent;
  readonly isError: boolean;
}

/** Accepts any value. */
export function readOutput(output: unknown): ReadOutput {
  const fields = isFields(output) ? output : { type: "json", value: output };
  const { value } = fields;
  switch (fields["type"]) {
    case "content":
      return { content: Array.isArray(value) ? readContent(value) : "", isError: false };
    case "error-text":
    case "error-json":
      return { content: toText(value), isError: true };
    case "execution-denied": {
      const reason = textIn(fields, "reason");
      return { content: reason === undefined ? "Denied." : `Denied: ${reason}`, isError: true };
    }
    default:
      return { content: toText(value), isError: false };
  }
}

/** Returns a string as it is, and anything else as JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

function readContent(items: readonly unknown[]): ToolContent {
  const parts = items.filter(isFields).flatMap((item) => readItem(item) ?? []);
  return parts.length === 0 ? "" : parts;
}

/** Returns undefined for items that only a provider can read. */
function readItem(item: Fields): ToolContentPart | undefined {
  const mediaType = textIn(item, "mediaType");
  switch (item["type"]) {
    case "text":
      return { type: "text", text: textIn(item, "text") ?? "" };
    case "file":
    case "file-data":
      return readFilePart(item);
    case "image-data":
    case "media":
      return readFile(item["data"], { mediaType: mediaType ?? "image" });
    case "image-url":
      return readFile({ type: "url", url: item["url"] }, { mediaType: mediaType ?? "image" });
    case "file-url":
      return readFile({ type: "url", url: item["url"] }, { mediaType: mediaType ?? "file" });
    default:
      return undefined;
  }
}
