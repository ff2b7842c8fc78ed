/** Patterns for files below a folder, as models write them: also absolute, and with two dots. */
import { posix, resolve, sep } from "node:path";
import { FileError } from "../files/file-error.ts";
import type { Workspace } from "../files/workspace.ts";
import { compileGlob, expandGlob } from "./glob-pattern.ts";
import type { MatchPath } from "./match-path.ts";

export interface SearchedFolder {
  readonly workspace: Workspace;
  /** The folder as the model named it. */
  readonly path: string;
  readonly real: string;
}

export interface FolderPattern {
  /** Matches paths relative to the folder, with `/`. */
  readonly matches: MatchPath;
  /** Throws `FileError` `outside` if the pattern found nothing because it may be a path elsewhere: `/etc/*` is also `etc/*` in the folder. */
  mustHaveFound(): void;
}

/** Throws `FileError`: `outside` if the pattern leads out of the folder, `invalid_pattern`. */
export function patternIn(folder: SearchedFolder, pattern: string): FolderPattern {
  const { workspace, path, real } = folder;
  const bases = [real, resolve(workspace.cwd, path)].map((base) => base.replaceAll(sep, "/"));
  const patterns = expandGlob(pattern).map((one) => fromFolder(one, bases));
  if (patterns.includes(undefined)) throw outside(pattern, path);
  const tests = patterns.map((one) => compileGlob(one ?? ""));
  return {
    matches: (file) => tests.some((fits) => fits(file)),
    mustHaveFound() {
      if (patterns.some((one) => one?.startsWith("/"))) throw outside(pattern, path);
    },
  };
}

/** Undefined if the pattern leads elsewhere. */
function fromFolder(pattern: string, bases: readonly string[]): string | undefined {
  if (pattern === "~" || pattern.startsWith("~/")) return undefined;
  const hasDots = /(?:^|\/)\.\.(?:\/|$)/.test(pattern);
  const plain = hasDots ? posix.normalize(pattern) : pattern;
  if (plain === ".." || plain.startsWith("../")) return undefined;
  const base = bases.find((one) => plain === one || plain.startsWith(`${one}/`));
  if (base !== undefined) return `./${plain.slice(base.length + 1)}`;
  return hasDots && !plain.startsWith("/") ? `./${plain}` : plain;
}

function outside(pattern: string, path: string): FileError {
  const folder = path === "." ? "the working folder" : path;
  const problem = `${pattern} leads out of ${folder}. Patterns find only files below it: set path to the folder to search, and begin the pattern there.`;
  return new FileError("outside", problem);
}
