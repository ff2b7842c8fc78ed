/** Finding of a checker: the broken rule, the details, and the index. */

export interface Problem<Code extends string> {
  readonly code: Code;
  /** A sentence with the values in question. */
  readonly message: string;
  /** Index in the checked list. */
  readonly index: number;
}

/** Throws one error that lists all problems; does nothing if there are none. */
export function throwIfAny(title: string, problems: readonly Problem<string>[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ index, code, message }) => `- [${index}] ${code}: ${message}`);
  throw new Error(`${title}: ${problems.length} problem(s)\n${lines.join("\n")}`);
}
