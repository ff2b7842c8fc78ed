/** Path patterns as people and models write them: with `{a,b}`, and with bare names that match in any folder. */
import { FileError } from "../files/file-error.ts";
import type { MatchPath } from "./match-path.ts";
import { compilePath } from "./match-path.ts";

const maxChars = 1_000;
const maxAlternatives = 100;

/**
 * Compiles a glob pattern. Matches a whole relative path with `/`. A pattern without a slash matches the name in
 * any folder; `./name` only in the start folder. Throws `invalid_pattern`.
 */
export function compileGlob(pattern: string): MatchPath {
  const alternatives = expandGlob(pattern).map(anchored);
  try {
    const tests = alternatives.map(compilePath);
    return (path) => tests.some((fits) => fits(path));
  } catch (cause) {
    const problem = `${pattern} is not a valid pattern. Use *, **, ?, [abc] and {a,b}; escape special characters with \\.`;
    throw new FileError("invalid_pattern", problem, { cause });
  }
}

/** Returns a pattern for each choice of `{a,b}`; all of them have a slash if the pattern has one. Throws `invalid_pattern`. */
export function expandGlob(pattern: string): readonly string[] {
  if (pattern.length > maxChars) {
    throw new FileError(
      "invalid_pattern",
      `The pattern is too long: at most ${maxChars} characters are allowed.`,
    );
  }
  const alternatives = alternativesOf(pattern);
  if (alternatives === undefined) {
    throw new FileError(
      "invalid_pattern",
      `${pattern} has too many alternatives. Use several patterns.`,
    );
  }
  if (!pattern.includes("/")) return alternatives;
  return alternatives.map((one) => (one.includes("/") ? one : `./${one}`));
}

function anchored(pattern: string): string {
  return pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
}

/** Expands `{a,b}`. Undefined if there are too many alternatives. */
function alternativesOf(pattern: string): readonly string[] | undefined {
  const braces = /^((?:[^\\{]|\\.)*?)\{([^{}]*,[^{}]*)\}(.*)$/su.exec(pattern);
  if (braces === null) return [pattern];
  const [, before = "", choices = "", after = ""] = braces;
  const all: string[] = [];
  for (const choice of choices.split(",")) {
    const some = alternativesOf(before + choice + after);
    if (some === undefined || all.length + some.length > maxAlternatives) return undefined;
    all.push(...some);
  }
  return all;
}
