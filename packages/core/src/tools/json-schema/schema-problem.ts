/**
 * The reason why a JSON Schema cannot be checked. Never leaves the callers of this folder: a `ToolError` reports it with the tool's name.
 */
import type { JsonValue } from "@capstan/kernel";

export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";

  /** `at` is the path of the keyword, as a JSON pointer. */
  constructor(at: string, problem: string) {
    super(at === "" ? problem : `at ${at}: ${problem}`);
  }
}

/** The beginning of an unexpected value. */
export function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
