/** Plain JSON, as sent over the wire. */
import type { JsonValue } from "@capstan/kernel";

export type JsonObject = { readonly [key: string]: JsonValue };

export type JsonKind = "string" | "integer" | "number" | "boolean" | "object" | "array" | "null";

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** `Array.isArray` does not narrow a readonly array. */
export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function kindOf(value: JsonValue): JsonKind {
  if (value === null) return "null";
  if (isList(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "string" | "boolean" | "object";
}

/** Removes this key at any depth. */
export function without(key: string, value: JsonValue): JsonValue {
  if (isList(value)) return value.map((item) => without(key, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, inner]) => [name, without(key, inner)]),
  );
}

/** Returns a string unchanged, anything else as JSON; empty for undefined. */
export function asText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
