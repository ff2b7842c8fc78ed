/** Texts that a server wrote: untrusted, and bounded before anyone reads them. */
import type { JsonSchema, JsonValue } from "@capstan/kernel";

export const maxDescriptionChars = 4_000;

/**
 * Characters that a reader does not see, or that change how the text around them looks: controls except tab and line feed, marks of
 * direction, zero-width characters and tags, in which instructions can be hidden.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- It finds them.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Returns the text without hidden characters, and at most so long. */
export function cleanText(text: string, maxChars: number): string {
  const shown = text.replaceAll("\r\n", "\n").replaceAll(hidden, "");
  return shown.length <= maxChars ? shown : `${shown.slice(0, maxChars - 1).trimEnd()}…`;
}

/** Returns a schema whose descriptions and titles are clean. Its values are data, and stay as they are. */
export function cleanSchema(schema: JsonSchema): JsonSchema {
  // JSON, as the server sent it.
  return cleanFields(schema as JsonValue) as JsonSchema;
}

function cleanFields(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(cleanFields);
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.entries(schema).map(([name, value]) => {
    const isText = (name === "description" || name === "title") && typeof value === "string";
    return [name, isText ? cleanText(value, maxDescriptionChars) : cleanFields(value)];
  });
  return Object.fromEntries(fields) as JsonValue;
}
