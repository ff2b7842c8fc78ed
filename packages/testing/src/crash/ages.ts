/** Markers that distinguish sessions of one id in a run: all messages and calls of a session name its age. */
import type { JsonValue } from "@capstan/kernel";

/** Returns all ages named in a value, as `age 2` or in the input of a call. */
export function agesIn(value: unknown): readonly number[] {
  const text = JSON.stringify(value) ?? "";
  return [...new Set([...text.matchAll(/\bage\W{1,4}(\d+)/g)].map(([, age]) => Number(age)))];
}

/** Age of the session that a call belongs to, by its input. */
export function ageOf(input: JsonValue): number {
  // Inputs come from the scenario.
  return (input as { readonly age?: number }).age ?? 1;
}
