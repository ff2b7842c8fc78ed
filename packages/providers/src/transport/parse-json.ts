/** JSON that may be none. */
import type { JsonValue } from "@capstan/kernel";

/** Undefined for what is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON, as the result says.
    return undefined;
  }
}
