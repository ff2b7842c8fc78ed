/** Suggests a rule that allows a call and, if possible, nothing else. */
import { isCapstanError } from "@capstan/kernel";
import type { Place } from "./path-pattern.ts";
import { parseRule } from "./rule.ts";
import { parseSimpleCommand } from "./simple-command.ts";
import type { Subject } from "./subject.ts";

/** Returns the tool's name alone if no pattern fits: for a script, or in another folder. */
export function allowWith({ toolName, command, places }: Subject): string {
  const words = command === undefined ? undefined : parseSimpleCommand(command);
  const patterns = [
    words?.map((word) => (plainWord.test(word) ? word : quote(word))).join(" "),
    // An unquoted command name may be a reserved word of the shell.
    words?.map(quote).join(" "),
    places && quotePath(places.real),
  ];
  return (
    patterns
      .filter((pattern) => pattern !== undefined)
      .map((pattern) => `${toolName}(${pattern})`)
      .find(isRule) ?? toolName
  );
}

const plainWord = /^[\w@%+=:,./-]+$/;

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
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
