/** What a model or a program of the AI SDK has given: objects of which nothing is sure, and which need not be JSON. */
import type { JsonValue } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";

export interface Fields {
  readonly [key: string]: unknown;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if there is no text in this field. */
export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
}

/** Throws if there is no text in this field. */
export function requiredText(part: Fields, key: string): string {
  const value = textIn(part, key);
  if (value === undefined) throw unreadablePart(`has no ${key}`, part);
  return value;
}

export function unreadablePart(problem: string, part: unknown): ProviderError {
  const type = isFields(part) ? textIn(part, "type") : undefined;
  const which = type === undefined ? "a part" : `a part "${type}"`;
  return new ProviderError(
    "protocol",
    `The model sent ${which} that ${problem}, so its reply cannot be read: update the package that the model comes from, or @capstan/providers`,
  );
}

/** A copy that is sure to be JSON; undefined for what cannot be. */
export function toJson(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    // JSON.parse gives nothing but JSON.
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    // A cycle, or a number that JSON does not have.
    return undefined;
  }
}
