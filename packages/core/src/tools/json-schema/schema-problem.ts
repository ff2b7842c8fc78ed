/** Why a JSON Schema cannot be checked. Never leaves the folder's callers: a tool says it with its name. */
import type { JsonValue } from "@capstan/kernel";

export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";

  /** `at` is the way to the keyword, as a JSON pointer. */
  constructor(at: string, problem: string) {
    super(at === "" ? problem : `at ${at}: ${problem}`);
  }
}

/** The beginning of what was found where something else should be. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
