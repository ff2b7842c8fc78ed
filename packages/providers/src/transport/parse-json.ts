/** Parses text that may not be JSON. */
import type { JsonValue } from "@capstan/kernel";

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON, as the result says.
    return undefined;
  }
}
