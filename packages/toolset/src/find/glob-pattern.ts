/** Patterns of paths as people and models write them: with `{a,b}`, and with a name alone that is meant in whatever folder. */
import { FileError } from "../files/file-error.ts";
import type { MatchPath } from "./match-path.ts";
import { compilePath } from "./match-path.ts";

const maxChars = 1_000;
const maxAlternatives = 100;

/**
 * For a whole relative path with `/`. A pattern without a slash is about the name, in whatever folder; `./name` is about the one where paths begin.
 * Throws `invalid_pattern`.
 */
export function compileGlob(pattern: string): MatchPath {
  if (pattern.length > maxChars) {
    throw new FileError("invalid_pattern", `A pattern has at most ${maxChars} characters.`);
  }
  const anchored = pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
  const alternatives = alternativesOf(anchored);
  if (alternatives === undefined) {
    throw new FileError("invalid_pattern", `${pattern} stands for too many patterns. Use several.`);
  }
  try {
    const tests = alternatives.map(compilePath);
    return (path) => tests.some((fits) => fits(path));
  } catch (cause) {
    const problem = `${pattern} is not a pattern. Use *, **, ?, [abc] and {a,b}; put a \\ before what is meant as it is.`;
    throw new FileError("invalid_pattern", problem, { cause });
  }
}

/** `{a,b}` spelled out. Undefined if there are more than anybody means. */
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
