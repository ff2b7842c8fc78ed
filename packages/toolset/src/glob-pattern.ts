/** Patterns of paths, as in `src/**` + `/*.ts`: into regular expressions. Shared by `glob`, `grep` and .gitignore files. */
import { FileError } from "./file-error.ts";

/** For a whole relative path with `/`. A pattern without a slash is about the name, in whatever folder. */
export function compileGlob(pattern: string): (path: string) => boolean {
  const anchored = pattern.replace(/^\.?\//, "");
  const source = alternativesOf(anchored.includes("/") ? anchored : `**/${anchored}`);
  const expression = toExpression(source, pattern);
  return (path) => expression.test(path);
}

function toExpression(alternatives: readonly string[], pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${alternatives.map(globToSource).join("|")})$`, "su");
  } catch (cause) {
    const problem = `${pattern} is not a pattern. Use *, **, ?, [abc] and {a,b}; put a \\ before what is meant as it is.`;
    throw new FileError("invalid_pattern", problem, { cause });
  }
}

const maxAlternatives = 100;

/** `{a,b}` spelled out. More than a hundred are nobody's intention. */
function alternativesOf(pattern: string): readonly string[] {
  const braces = /^((?:[^\\{]|\\.)*?)\{([^{}]*,[^{}]*)\}(.*)$/su.exec(pattern);
  if (braces === null) return [pattern];
  const [, before = "", choices = "", after = ""] = braces;
  const all = choices.split(",").flatMap((choice) => alternativesOf(before + choice + after));
  if (all.length <= maxAlternatives) return all;
  throw new FileError("invalid_pattern", `${pattern} stands for too many patterns. Use several.`);
}

/** The source of a regular expression. `**` as a whole part stands for any folders, none included. */
export function globToSource(pattern: string): string {
  // Each doubles what a name can take to be looked at.
  if (/(?:\*[^*/]+){6}\*/.test(pattern)) throw new SyntaxError("more than six * in one name");
  const parts = pattern.replaceAll(/(?:\*\*\/){2,}/g, "**/").split("/");
  return parts
    .map((part, index) => {
      const isLast = index === parts.length - 1;
      if (part === "**") return isLast ? ".*" : "(?:[^/]+/)*";
      return partToSource(part) + (isLast ? "" : "/");
    })
    .join("");
}

const token = /\\(.)|(\*+)|(\?)|\[(!|\^)?(\]?[^\]]*)\]|(.)/gsu;

function partToSource(part: string): string {
  return part.replace(
    token,
    (
      _,
      escaped?: string,
      stars?: string,
      one?: string,
      not?: string,
      set?: string,
      plain?: string,
    ) => {
      if (stars !== undefined) return "[^/]*";
      if (one !== undefined) return "[^/]";
      if (set !== undefined) return setToSource(set, not !== undefined);
      return escape(escaped ?? plain ?? "");
    },
  );
}

function setToSource(set: string, isNegated: boolean): string {
  // Ranges keep their dash; everything else that means something in a set of a regular expression is taken as it is.
  const source = set.replace(/[\\\]^[&~|(){}/.*+?$]/gu, (character) => escape(character));
  return isNegated ? `(?!/)[^${source}]` : `[${source}]`;
}

function escape(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
