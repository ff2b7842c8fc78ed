/** Closes a JSON Schema: its objects allow no additional properties. The AI SDK sends schemas in this form, and some models reject any other. */
import type { JsonSchema } from "@capstan/kernel";
import { isFields } from "./fields.ts";

/** Keywords that hold a schema, or a list of schemas. */
const inner: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
]);
/** Keywords that hold schemas by name. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
]);

export function toClosedSchema(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, closeKeyword(key, value)]);
  const closed = Object.fromEntries(entries) as JsonSchema;
  const isOpen = schema["type"] === "object" && !isFields(schema["additionalProperties"]);
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

function closeKeyword(key: string, value: unknown): unknown {
  if (inner.has(key)) return Array.isArray(value) ? value.map(close) : close(value);
  if (!named.has(key) || !isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, close(one)]));
}

function close(value: unknown): unknown {
  return isFields(value) ? toClosedSchema(value) : value;
}
