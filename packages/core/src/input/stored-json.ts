/** Values of callers that the log stores as JSON, checked before they are stored. */
import type { JsonValue } from "@capstan/kernel";
import { invalid } from "../errors/session-error.ts";

/** Returns a copy without undefined fields. Throws `invalid_input` for a value that is not JSON; `name` is its field. */
export function toStoredJson(value: unknown, name: string): JsonValue {
  const path = nonJson(value, name);
  if (path !== undefined) throw invalid(`${path} is not JSON`);
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Path of a value that is not JSON, or is nested too deeply. */
export function nonJson(value: unknown, path: string, levels = 100): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : path;
  if (typeof value !== "object") {
    return typeof value === "string" || typeof value === "boolean" ? undefined : path;
  }
  // The JSON of a date, or of any class with `toJSON`, is another value.
  if (levels === 0 || "toJSON" in value) return path;
  for (const [name, inner] of Object.entries(value)) {
    const found = nonJson(inner, `${path}.${name}`, levels - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
