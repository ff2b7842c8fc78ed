/** Values of others as JSON: what is recorded and shown has to be nothing else. */
import type { JsonValue } from "../contracts/conversation.ts";
import { isTooDeep, mayBeTooDeep } from "./depth.ts";

/**
 * A copy that is sure to be JSON; undefined for what JSON has no form for. Throws for what cannot be written: a cycle, a bigint, a getter that
 * throws, too many levels.
 */
export function toJson(value: unknown): JsonValue | undefined {
  if (isPlain(value)) return value;
  const text = JSON.stringify(value);
  return text === undefined ? undefined : parseJson(text);
}

/** Throws for what is nested too deeply. */
export function parseJson(text: string): JsonValue {
  // JSON.parse gives nothing but JSON.
  const copy = JSON.parse(text) as JsonValue;
  if (mayBeTooDeep(text) && isTooDeep(copy)) throw new RangeError("It is nested too deeply");
  return copy;
}

function isPlain(value: unknown): value is string | boolean | null {
  return typeof value === "string" || typeof value === "boolean" || value === null;
}
