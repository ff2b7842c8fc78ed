/** What a vendor sent: JSON of which nothing is sure. */
import type { JsonValue } from "@capstan/kernel";

export type JsonObject = { readonly [key: string]: JsonValue };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Its items; none, if it is no list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // The check has lost the type of what is in the list.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Undefined if there is no text in this field. */
export function textAt(parent: JsonObject, key: string): string | undefined {
  const value = parent[key];
  return typeof value === "string" ? value : undefined;
}

/** A count of something; undefined if there is none in this field. */
export function countAt(parent: JsonObject, key: string): number | undefined {
  const value = parent[key];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Without these keys, and without those that hold nothing. */
export function omit(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([key, value]) => value !== null && !keys.includes(key)),
  );
}
