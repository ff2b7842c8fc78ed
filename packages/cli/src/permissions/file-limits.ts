/** Rules that deny or ask about files, applied to the commands that name these files. */
import { foundIn } from "./bash/found-in.ts";
import type { FoundCommands } from "./bash/commands-in.ts";
import type { Fit } from "./command-pattern.ts";
import type { PathPattern } from "./path-pattern.ts";
import { fitsPath, placesOf } from "./path-pattern.ts";
import { pathsIn } from "./path-words.ts";
import type { Rule } from "./rule.ts";

const maxWords = 100;

/**
 * A rule for `read` is about every file that a command names, a rule for `edit` or `write` about the files of redirections. A name that is
 * only somewhere in the text, for example in a program for python, is a `maybe`.
 */
export function fitsFiles(rule: Rule, script: string, cwd: string): Fit {
  const { pattern, toolName } = rule;
  if (pattern?.type !== "path") return "no";
  const found = foundIn(script);
  const folders = foldersOf(found, cwd);
  const names = (path: string): boolean =>
    folders.some((folder) => fitsPath(pattern, placesOf(path, folder)) === "yes");
  const words = found.commands.flat().slice(0, maxWords);
  const isNamed = words.some((word) => word !== undefined && pathsIn(word).some(names));
  const files = found.files.filter(({ isWritten }) => toolName === "read" || isWritten);
  if (files.some(({ path }) => path !== undefined && names(path))) return "yes";
  if (toolName === "read" && isNamed) return "yes";
  return isNamed || isInText(pattern, script) ? "maybe" : "no";
}

/** The folder in which the script starts, and those that it changes to. */
function foldersOf({ commands }: FoundCommands, cwd: string): readonly string[] {
  const targets = commands.flatMap(([program, target]) =>
    program === "cd" && target !== undefined ? [target] : [],
  );
  const changed = targets.slice(0, 5).map((target) => placesOf(target, cwd)?.written.absolute);
  return [cwd, ...changed.filter((folder) => folder !== undefined)];
}

function isInText({ exactName }: PathPattern, script: string): boolean {
  if (exactName === undefined) return false;
  const text = exactName.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w])${text}(?![\w.-]*\w)`, "iu").test(script);
}
