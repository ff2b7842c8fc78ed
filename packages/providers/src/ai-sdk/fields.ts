/** Untyped objects from AI SDK models and programs. They need not be JSON. */
import type { JsonValue } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";

export interface Fields {
  readonly [key: string]: unknown;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns undefined if the field is not a string. */
export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
}

/** Throws if the field is not a string. */
export function requiredText(part: Fields, key: string): string {
  const value = textIn(part, key);
  if (value === undefined) throw unreadablePart(`has no ${key}`, part);
  return value;
}

export function unreadablePart(problem: string, part: unknown): ProviderError {
  const type = isFields(part) ? textIn(part, "type") : undefined;
  const which = type === undefined ? "a part" : `a "${type}" part`;
  return new ProviderError(
    "protocol",
    `The model sent ${which} that ${problem}, so its reply cannot be decoded: update the model's package or @capstan/providers`,
  );
}

/** Copies the value as JSON; returns undefined if that is impossible. */
export function toJson(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    // JSON.parse returns nothing but JSON.
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    // A cycle or a bigint.
    return undefined;
  }
}
