/** Suggests the rule that allows one file and nothing else. */
import { isCapstanError } from "@capstan/kernel";
import type { Place } from "./path-pattern.ts";
import { parseRule } from "./rule.ts";

/** Undefined if no pattern fits the path. */
export function pathRuleFor(toolName: string, place: Place): string | undefined {
  const rule = `${toolName}(${quotePath(place)})`;
  return isRule(rule) ? rule : undefined;
}

/** Would be read as a name in any folder, or as an absolute path. */
const ambiguous = /^(?:[^/]*$|~|[A-Za-z]:)/;

function quotePath({ absolute, inside }: Place): string {
  const path = (inside ?? absolute).replaceAll(/[\\*?[\]{}]/g, "\\$&");
  return inside !== undefined && ambiguous.test(path) ? `./${path}` : path;
}

function isRule(text: string): boolean {
  try {
    parseRule(text);
    return true;
  } catch (thrown) {
    if (isCapstanError(thrown)) return false;
    throw thrown;
  }
}
