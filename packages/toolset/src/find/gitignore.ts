/** What .gitignore files say, as git reads them: https://git-scm.com/docs/gitignore. */
import type { MatchPath } from "./match-path.ts";
import { compilePath } from "./match-path.ts";

interface Rule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** For the path from the folder of the file. */
  readonly matches: MatchPath;
}

/** The rules of one file. */
export interface IgnoreFile {
  /** The folder that it is in, from where the search began, with a `/` at its end; empty for that folder itself. */
  readonly base: string;
  readonly rules: readonly Rule[];
}

export function parseIgnoreFile(base: string, content: string): IgnoreFile {
  return { base, rules: content.split(/\r?\n/).flatMap(toRule) };
}

/** Files come outermost first: the last rule that fits decides. `path` is from where the search began. */
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
  // With a slash at its start or inside it is about one place, without one about every folder.
  const anchored = bare.includes("/") ? bare.replace(/^\//, "") : `**/${bare}`;
  try {
    return [{ isNegated, isForFolders, matches: compilePath(anchored) }];
  } catch {
    // Git passes over what it does not understand, too.
    return [];
  }
}
