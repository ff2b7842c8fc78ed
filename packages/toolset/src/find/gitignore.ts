/** Parses .gitignore files as git does: https://git-scm.com/docs/gitignore. */
import type { MatchPath } from "./match-path.ts";
import { compilePath } from "./match-path.ts";

interface Rule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Matches a path relative to the file's folder. */
  readonly matches: MatchPath;
}

/** Rules of one file. */
export interface IgnoreFile {
  /** Its folder, relative to the start of the search, with a trailing `/`; empty for the start itself. */
  readonly base: string;
  readonly rules: readonly Rule[];
}

export function parseIgnoreFile(base: string, content: string): IgnoreFile {
  return { base, rules: content.split(/\r?\n/).flatMap(toRule) };
}

/** Files come outermost first; the last matching rule decides. `path` is relative to the start of the search. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isFolder: boolean): boolean {
  for (const { base, rules } of files.toReversed()) {
    const inner = path.slice(base.length);
    const rule = rules.findLast(
      ({ isForFolders, matches }) => (isFolder || !isForFolders) && matches(inner),
    );
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}

function toRule(line: string): readonly Rule[] {
  const text = line.replace(/(?<!\\)\s+$/, "");
  if (text === "" || text.startsWith("#")) return [];
  const isNegated = text.startsWith("!");
  const pattern = isNegated ? text.slice(1) : text;
  const isForFolders = pattern.endsWith("/");
  const bare = isForFolders ? pattern.slice(0, -1) : pattern;
  // With a slash at its start or inside, it is relative to this folder; without one it applies in every folder.
  const anchored = bare.includes("/") ? bare.replace(/^\//, "") : `**/${bare}`;
  try {
    return [{ isNegated, isForFolders, matches: compilePath(anchored) }];
  } catch {
    // Git also ignores rules it does not understand.
    return [];
  }
}
