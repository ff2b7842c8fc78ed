/** Checks the names of options: a misspelled one would be ignored silently by JavaScript. */
import { nearestNames } from "./nearest-names.ts";

/** Describes the first option that is not known; undefined if all are. */
export function problemOfNames(
  options: object,
  known: Readonly<Record<string, true>>,
): string | undefined {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return undefined;
  const [nearest] = nearestNames(unknown, Object.keys(known));
  const hint =
    nearest === undefined
      ? `Options: ${Object.keys(known).join(", ")}`
      : `Did you mean "${nearest}"?`;
  return `unknown option "${unknown.slice(0, 80)}". ${hint}`;
}
