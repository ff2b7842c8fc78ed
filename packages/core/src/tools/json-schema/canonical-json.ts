/** One text for all spellings of a JSON value, so that equal values have equal texts. */
import type { JsonValue } from "@capstan/kernel";

export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const fields = Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`)
    .sort();
  return `{${fields.join(",")}}`;
}

/** `Array.isArray` does not narrow a readonly array. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !isList(value);
}
