/** Converts foreign values to JSON: only JSON may be recorded and shown. */
import type { JsonValue } from "../contracts/conversation.ts";
import { isTooDeep, mayBeTooDeep } from "./depth.ts";

/**
 * Returns a copy that is certain to be JSON; undefined if the value has no JSON form. Throws for a value that cannot be serialized: a cycle,
 * a bigint, a getter that throws, too many levels.
 */
export function toJson(value: unknown): JsonValue | undefined {
  if (isPlain(value)) return value;
  const text = JSON.stringify(value);
  return text === undefined ? undefined : parseJson(text);
}

/** Throws if the value is nested too deeply. */
export function parseJson(text: string): JsonValue {
  // JSON.parse returns nothing but JSON.
  const copy = JSON.parse(text) as JsonValue;
  if (mayBeTooDeep(text) && isTooDeep(copy)) throw new RangeError("The value is nested too deeply");
  return copy;
}

function isPlain(value: unknown): value is string | boolean | null {
  return typeof value === "string" || typeof value === "boolean" || value === null;
}
