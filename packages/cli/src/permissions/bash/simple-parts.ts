/** Parts of a simple command: assignments, redirections, and the name of its program. */
import type { Assignment, Redirection, ScriptWord } from "./script.ts";
import type { ReadWord } from "./word-reader.ts";
import { Unread } from "./word-reader.ts";

export const noPath: ScriptWord = { text: "", isKnown: true };

export function toAssignment(name: string, { text, isKnown, raw }: ReadWord): Assignment {
  // Values are not matched with files: a pattern in them is a text.
  if (!isKnown && /^[\w=*?.,:/@%+-]*$/.test(raw)) {
    return { name, value: { text: raw.slice(name.length + 1), isKnown: true } };
  }
  // With quotes or expansions before the `=` it would not be an assignment.
  if (!text.startsWith(`${name}=`) && isKnown) throw new Unread(`has an odd assignment, ${raw}`);
  return { name, value: { text: text.slice(name.length + 1), isKnown } };
}

export function toRedirection(kind: string, descriptor: string, target: ReadWord): Redirection {
  const { text, isKnown } = target;
  const path = { text, isKnown };
  if (kind === "<>") throw new Unread("has a redirection for reading and writing");
  if (kind === "<&" || kind === ">&") {
    if (/^(?:\d+|-)$/.test(target.raw)) return { type: "copy", path: noPath };
    const isFile = kind === ">&" && descriptor === "" && isKnown && !/^[\d-]/.test(text);
    if (!isFile) throw new Unread("has a descriptor that rules do not read");
    return { type: "write", path };
  }
  return { type: kind === "<" ? "read" : "write", path };
}

/** Words that end a list inside a construct. */
export const closing: ReadonlySet<string> = new Set([
  "then",
  "elif",
  "else",
  "fi",
  "do",
  "done",
  "}",
]);
export const unread: ReadonlySet<string> = new Set([
  "case",
  "coproc",
  "esac",
  "function",
  "in",
  "select",
  "[[",
  "]]",
]);

/** The shell would read some names as its own options, as a job, or as a part of its syntax. */
export function checkProgram(program: ReadWord | undefined, isRedirected: boolean): void {
  if (program === undefined) return;
  if (!program.isKnown) throw new Unread("has a command whose name only the shell knows");
  if (/^["'\\]*[-+%]/.test(program.raw))
    throw new Unread("has a command that begins with -, + or %");
  if (/^["'\\]*[A-Za-z_][\w"'\\]*(?:\[.*\])?\+?=/.test(program.raw)) {
    throw new Unread("has an odd assignment");
  }
  // After a redirection, words such as `if` are names of programs.
  if (isRedirected && (unread.has(program.raw) || closing.has(program.raw))) {
    throw new Unread("has a word of the shell after a redirection");
  }
  if (program.text === "" || program.raw.includes("{")) {
    throw new Unread("has a command whose name is empty or has braces");
  }
}
