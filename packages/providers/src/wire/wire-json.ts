/** Reads JSON from vendors, of unknown shape. */
import type { JsonValue } from "@capstan/kernel";

export type JsonObject = { readonly [key: string]: JsonValue };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the items, or none if the value is not a list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // `Array.isArray` loses the element type.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Returns undefined if the field is not a string. */
export function textAt(parent: JsonObject, key: string): string | undefined {
  const value = parent[key];
  return typeof value === "string" ? value : undefined;
}

/** Returns undefined if the field is not a count. */
export function countAt(parent: JsonObject, key: string): number | undefined {
  const value = parent[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Copies the object without these keys and without null fields. */
export function omit(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== null && !keys.includes(key)),
  );
}
