/** Marks by which a run tells sessions of one id apart: whatever is said or called in one names its age. */
import type { JsonValue } from "@capstan/kernel";

/** All ages that are named in something, as `age 2` or in the input of a call. */
export function agesIn(value: unknown): readonly number[] {
  const text = JSON.stringify(value) ?? "";
  return [...new Set([...text.matchAll(/\bage\W{1,4}(\d+)/g)].map(([, age]) => Number(age)))];
}

/** Age of the session that a call belongs to, by its input. */
export function ageOf(input: JsonValue): number {
  // The inputs are those of the scenario.
  return (input as { readonly age?: number }).age ?? 1;
}
