/** What a checker found: which rule is broken, what is wrong, and where. */

export interface Problem<Code extends string> {
  readonly code: Code;
  /** A sentence with the values in question. */
  readonly message: string;
  /** The place in the list that was checked. */
  readonly index: number;
}

/** Throws one error that lists all problems; does nothing if there are none. */
export function throwIfAny(title: string, problems: readonly Problem<string>[]): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ index, code, message }) => `- [${index}] ${code}: ${message}`);
  throw new Error(`${title}: ${problems.length} problem(s)\n${lines.join("\n")}`);
}
