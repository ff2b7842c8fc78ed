/** Why a JSON Schema cannot be checked. Never leaves the folder's callers: a tool says it with its name. */

export class SchemaProblem extends Error {
  override readonly name = "SchemaProblem";

  /** `at` is the way to the keyword, as a JSON pointer. */
  constructor(at: string, problem: string) {
    super(at === "" ? problem : `at ${at}: ${problem}`);
  }
}
