/** Judges a script of bash by the rules that allow: it may run if every command in it may. */
import type { ScriptNode, ScriptWord, SimpleCommand, Redirection } from "./bash/script.ts";
import { hasInput } from "./bash/has-input.ts";
import { readScript } from "./bash/read-script.ts";
import { isHarmlessVariable } from "./bash/harmless-variables.ts";
import { isPlainTest } from "./bash/plain-test.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { judgeWords } from "./judge-words.ts";
import { foldersFrom } from "./folders-from.ts";
import { placesOf } from "./path-pattern.ts";

/** Decides on a file that the script reads or writes, as if a tool did. */
export type FileVerdict =
  | { readonly isAllowed: true }
  | { readonly isAllowed: false; readonly problem: string; readonly allowWith: readonly string[] };

export interface ScriptContext {
  readonly patterns: readonly CommandPattern[];
  readonly cwd: string;
  readonly decideFile: (type: "read" | "write", path: string) => FileVerdict;
}

/** One simple command of a script. */
interface Part {
  readonly source: string;
  /** Completes "it …". Absent: the part may run. */
  readonly problem?: string;
  /** Rules that would allow the part; absent if none does. */
  readonly allowWith?: readonly string[];
  /** True if a rule allows it, and not only that it does nothing. */
  readonly isByRule: boolean;
}

export interface ScriptVerdict {
  readonly isAllowed: boolean;
  readonly parts: readonly Part[];
  /** Why the script as a whole is not read. Completes "it …". */
  readonly problem?: string;
}

const maxDepth = 5;

/** `folder` is the absolute path of the folder in which the script starts. */
export function judgeScript(
  text: string,
  folder: string,
  context: ScriptContext,
  depth = 0,
): ScriptVerdict {
  if (depth > maxDepth) return { isAllowed: false, parts: [], problem: "is nested too deeply" };
  const script = readScript(text);
  if (script.type === "notSure") return { isAllowed: false, parts: [], problem: script.problem };
  const judge = new ScriptJudge(context, depth, hasInput(script.root));
  judge.walk(script.root, new Set([folder]), false);
  const { parts } = judge;
  const isAllowed =
    parts.every(({ problem }) => problem === undefined) && parts.some(({ isByRule }) => isByRule);
  return { isAllowed, parts };
}

/** Folders in which the next command may run, if the last one succeeded or failed. */
interface Folders {
  readonly onSuccess: ReadonlySet<string>;
  readonly onFailure: ReadonlySet<string>;
}

class ScriptJudge {
  readonly parts: Part[] = [];
  readonly #context: ScriptContext;
  readonly #depth: number;
  readonly #hasInput: boolean;

  constructor(context: ScriptContext, depth: number, isWithInput: boolean) {
    this.#context = context;
    this.#depth = depth;
    this.#hasInput = isWithInput;
  }

  walk(node: ScriptNode, folders: ReadonlySet<string>, isInLoop: boolean): Folders {
    const same: Folders = { onSuccess: folders, onFailure: folders };
    switch (node.type) {
      case "simple":
        return this.#judge(node, folders, isInLoop);
      case "and": {
        const first = this.walk(node.first, folders, isInLoop);
        const second = this.walk(node.second, first.onSuccess, isInLoop);
        return {
          onSuccess: second.onSuccess,
          onFailure: first.onFailure.union(second.onFailure),
        };
      }
      case "or": {
        const first = this.walk(node.first, folders, isInLoop);
        const second = this.walk(node.second, first.onFailure, isInLoop);
        return { onSuccess: first.onSuccess.union(second.onSuccess), onFailure: second.onFailure };
      }
      case "then": {
        const first = this.walk(node.first, folders, isInLoop);
        return this.walk(node.second, first.onSuccess.union(first.onFailure), isInLoop);
      }
      case "not": {
        const { onSuccess, onFailure } = this.walk(node.inner, folders, isInLoop);
        return { onSuccess: onFailure, onFailure: onSuccess };
      }
      case "apart":
        for (const part of node.parts) this.walk(part, folders, false);
        return same;
      case "loop":
        for (const part of node.parts) this.walk(part, folders, true);
        return same;
      case "test":
        this.parts.push({ source: node.source, isByRule: false });
        return same;
      case "expanded":
        for (const part of node.substitutions) this.walk(part, folders, false);
        return this.walk(node.inner, folders, isInLoop);
      case "redirected": {
        const problem = this.#fileProblem(node.redirections, folders);
        if (problem !== undefined) this.parts.push({ ...problem, isByRule: false });
        return this.walk(node.inner, folders, isInLoop);
      }
      case "if": {
        const condition = this.walk(node.condition, folders, isInLoop);
        const body = this.walk(node.body, condition.onSuccess, isInLoop);
        const otherwise =
          node.otherwise && this.walk(node.otherwise, condition.onFailure, isInLoop);
        const all = [body.onSuccess, body.onFailure, condition.onFailure, otherwise?.onSuccess]
          .concat(otherwise?.onFailure)
          .filter((set) => set !== undefined)
          .reduce((one, other) => one.union(other));
        return { onSuccess: all, onFailure: all };
      }
      default:
        return node satisfies never;
    }
  }

  #judge(command: SimpleCommand, folders: ReadonlySet<string>, isInLoop: boolean): Folders {
    const same: Folders = { onSuccess: folders, onFailure: folders };
    const { source, assignments, words, redirections } = command;
    const refuse = (problem: string, allowWith?: readonly string[]): Folders => {
      this.parts.push({ source, problem, isByRule: false, ...(allowWith && { allowWith }) });
      return same;
    };
    const bad = assignments.find(({ name, value }) => !isHarmless(name, value, words.length === 0));
    if (bad !== undefined) return refuse(`sets the variable ${bad.name}`);
    const problem = this.#fileProblem(redirections, folders);
    if (isChangeOfFolder(words)) {
      const next = isInLoop ? undefined : this.#folderAfter(words, folders);
      if (next === undefined || problem !== undefined) {
        return refuse("changes to a folder that is not known, or outside of the working folder");
      }
      this.parts.push({ source, isByRule: false });
      return { onSuccess: next, onFailure: folders };
    }
    if (problem !== undefined && isFree(words)) return refuse(problem.problem, problem.allowWith);
    if (isFree(words)) {
      this.parts.push({ source, isByRule: false });
      return same;
    }
    const verdict = judgeWords(words, {
      patterns: this.#context.patterns,
      cwd: this.#context.cwd,
      folders,
      hasInput: this.#hasInput,
      judgeScript: (text) =>
        [...folders].every(
          (folder) => judgeScript(text, folder, this.#context, this.#depth + 1).isAllowed,
        ),
    });
    if (verdict.isAllowed && problem === undefined) {
      this.parts.push({ source, isByRule: true });
      return same;
    }
    const own = verdict.isAllowed ? [] : verdict.allowWith;
    const file = problem === undefined ? [] : problem.allowWith;
    const why = verdict.isAllowed ? problem?.problem : verdict.problem;
    return refuse(
      why ?? "is not allowed by a rule",
      own === undefined || file === undefined ? undefined : [...own, ...file],
    );
  }

  #folderAfter(
    words: readonly ScriptWord[],
    folders: ReadonlySet<string>,
  ): ReadonlySet<string> | undefined {
    const operands = words.slice(words[1]?.text === "--" ? 2 : 1);
    const [target] = operands;
    if (operands.length !== 1 || target?.isKnown !== true) return undefined;
    return foldersFrom(folders, target.text, this.#context.cwd);
  }

  #fileProblem(
    redirections: readonly Redirection[],
    folders: ReadonlySet<string>,
  ): (Pick<Part, "source" | "allowWith"> & { readonly problem: string }) | undefined {
    const found: { problem: string; allowWith: readonly string[] | undefined }[] = [];
    for (const { type, path } of redirections) {
      if (type === "copy" || type === "text" || isDevice(path)) continue;
      const source = path.text;
      if (!path.isKnown)
        return { source, problem: "has a redirection whose file only the shell knows" };
      for (const folder of folders) {
        const places = placesOf(path.text, folder);
        const verdict = places && this.#context.decideFile(type, places.written.absolute);
        if (verdict === undefined) return { source, problem: "has a redirection to an odd path" };
        if (!verdict.isAllowed) found.push(verdict);
      }
    }
    const [first] = found;
    if (first === undefined) return undefined;
    const hints = found.map(({ allowWith }) => allowWith);
    return {
      source: "a redirection",
      problem: first.problem,
      allowWith: [...new Set(hints.flatMap((hint) => hint ?? []))],
    };
  }
}

function isChangeOfFolder([program]: readonly ScriptWord[]): boolean {
  return program?.text === "cd";
}

/** True for commands that do nothing but set harmless variables or the shell's own error handling. */
function isFree([program, ...others]: readonly ScriptWord[]): boolean {
  switch (program?.text) {
    case undefined:
      return true;
    case "true":
    case "false":
    case ":":
      return others.length === 0;
    case "exit":
      return others.every(({ text, isKnown }) => isKnown && /^\d+$/.test(text));
    case "set":
      return (
        others.length > 0 &&
        others.every(
          ({ text, isKnown }) => isKnown && /^[-+][eux]+o?$|^(?:-o|pipefail)$/.test(text),
        )
      );
    case "[":
      return others.at(-1)?.text === "]" && isPlainTest(others.slice(0, -1));
    case "test":
      return isPlainTest(others);
    case "export":
      return others.length > 0 && others.every(isHarmlessExport);
    default:
      return false;
  }
}

function isHarmlessExport({ text, isKnown }: ScriptWord): boolean {
  const equals = text.indexOf("=");
  return isKnown && equals > 0 && isHarmlessVariable(text.slice(0, equals), text.slice(equals + 1));
}

/** Lower-case names are the script's own; upper-case ones may be known to programs. */
function isHarmless(name: string, value: ScriptWord, isAlone: boolean): boolean {
  if (isAlone && /^[a-z]{1,12}[0-9]?$/.test(name)) return true;
  return value.isKnown && isHarmlessVariable(name, value.text);
}

function isDevice({ text, isKnown }: ScriptWord): boolean {
  return isKnown && /^\/dev\/(?:null|stdout|stderr|stdin|fd\/[0-9]|tty)$/.test(text);
}
