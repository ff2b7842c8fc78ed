/** `bash(pattern)`: the words of a command, with wildcards. */
import { readScript } from "./script-commands.ts";
import type { ScriptWord } from "./script-commands.ts";
import type { Word } from "./simple-command.ts";
import { parseCommandPattern, parseSimpleCommand } from "./simple-command.ts";

export interface CommandPattern {
  readonly type: "command";
  readonly words: readonly Word[];
  /** True if any further words may follow: the last word was `*`. */
  readonly isOpen: boolean;
}

/** `maybe`: the answer depends on what only the shell knows. */
export type Fit = "yes" | "maybe" | "no";

/** Returns a string, the reason, if the pattern is invalid. */
export function parseCommandRule(pattern: string): CommandPattern | string {
  const read = parseCommandPattern(pattern);
  if ("problem" in read) {
    return `${pattern} ${read.problem}: a pattern is the words of one command, quoted as in bash, with * as a wildcard`;
  }
  const isOpen = isWildcard(read.words.at(-1));
  return { type: "command", words: isOpen ? read.words.slice(0, -1) : read.words, isOpen };
}

/** For rules that allow: only a single simple command can match. */
export function fitsExactly({ words, isOpen }: CommandPattern, command: string): boolean {
  const given = parseSimpleCommand(command);
  if (given === undefined || given.length < words.length) return false;
  if (!isOpen && given.length > words.length) return false;
  return words.every((word, index) => fitsWord(word, given[index] ?? ""));
}

/** For rules that deny or ask: matches if any command in the script does, whatever starts it. */
export function fitsAnywhere(pattern: CommandPattern, command: string): Fit {
  const { commands, isWhole } = readScript(command);
  const fits = commands.flatMap((words) => startsOf(words).map((start) => fitOf(pattern, start)));
  if (fits.includes("yes")) return "yes";
  return isWhole && !fits.includes("maybe") && !commands.some(runsText) ? "no" : "maybe";
}

function isWildcard(word: Word | undefined): boolean {
  return word !== undefined && word.length > 1 && word.every((text) => text === "");
}

/** Matches each piece of the pattern at its first position after the previous one: no backtracking, however long the word is. */
function fitsWord(pattern: Word, word: string): boolean {
  const [first = "", ...others] = pattern;
  const last = others.pop();
  if (last === undefined) return word === first;
  if (word.length < first.length + last.length) return false;
  if (!word.startsWith(first) || !word.endsWith(last)) return false;
  let at = first.length;
  for (const text of others) {
    const found = word.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return at <= word.length - last.length;
}

function fitOf({ words, isOpen }: CommandPattern, given: readonly ScriptWord[]): Fit {
  for (const [index, word] of words.entries()) {
    if (index >= given.length) return "no";
    const one = given[index];
    // The word may expand to any number of words.
    if (one === undefined) return "maybe";
    const isProgram = index === 0;
    if (!fitsWord(word, one) && !(isProgram && fitsWord(word, nameOf(one)))) return "no";
  }
  if (isOpen || given.length === words.length) return "yes";
  // The remaining words may expand to nothing.
  return given.slice(words.length).includes(undefined) ? "maybe" : "no";
}

/** Programs that run another program, named in their arguments. */
const starters = new Set(
  "builtin command doas env exec find ionice nice nohup setsid stdbuf sudo time timeout watch xargs".split(
    " ",
  ),
);
const shells = new Set(["ash", "bash", "dash", "ksh", "sh", "zsh"]);

function startsOf(words: readonly ScriptWord[]): readonly (readonly ScriptWord[])[] {
  const isStarter = words[0] !== undefined && starters.has(nameOf(words[0]));
  return isStarter ? words.map((_, index) => words.slice(index)) : [words];
}

/** True if one of its arguments is a script. */
function runsText(words: readonly ScriptWord[]): boolean {
  return startsOf(words).some(([program, ...others]) => {
    if (program === undefined) return false;
    if (program === "eval") return true;
    return shells.has(nameOf(program)) && others.some((word) => /^-\w*c/.test(word ?? "-c"));
  });
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
