/** `edit(pattern)` and similar: path patterns, and the paths of a call. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isCapstanError } from "@capstan/kernel";
import { compileGlob } from "@capstan/toolset";
import { wayInside } from "./way-inside.ts";
import type { Fit } from "./command-pattern.ts";

export interface PathPattern {
  readonly type: "path";
  readonly isAbsolute: boolean;
  /** True if the pattern may start in any folder. */
  readonly isAnywhere: boolean;
  /** Name of the file, if the pattern has no wildcards: then it is about one path, or about one name. */
  readonly exactName?: string;
  matches(path: string): boolean;
  /** Ignores case, which some file systems do not distinguish. */
  matchesLoosely(path: string): boolean;
}

/** One path, with `/` as the separator. */
export interface Place {
  readonly absolute: string;
  /** Relative to the working folder; absent outside of it. */
  readonly inside?: string;
}

/** Path of a call: as written, and with links resolved. */
export interface Places {
  readonly written: Place;
  readonly real: Place;
}

const absolutePath = /^(?:\/|[A-Za-z]:\/)/;
/** Returns a string, the reason, if the pattern is invalid. */
export function parsePathRule(pattern: string): PathPattern | string {
  const isAbsolutePattern = absolutePath.test(pattern);
  const parts = pattern.replace(/^(?:\.?\/)/, "").split("/");
  if (pattern.startsWith("~")) return "~ is not expanded: use an absolute path";
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return "it has an empty part, . or .., which never matches: end with /** for everything in a folder";
  }
  // A bare name matches in any folder, as in the tool glob; ./name matches in the working folder only.
  const isName = parts.length === 1 && !/^\.?\//.test(pattern);
  const anchored = isName ? `**/${pattern}` : parts.join("/");
  const plain = parts.map((part) => part.replaceAll(/\\([*?[\]{}\\])/g, ""));
  const isExact = plain.every((part) => !/[*?[\]{}\\]/.test(part));
  const exactName = parts.at(-1)?.replaceAll(/\\(.)/g, "$1");
  try {
    return {
      type: "path",
      isAbsolute: isAbsolutePattern,
      isAnywhere: anchored.startsWith("**/"),
      ...(isExact && exactName !== undefined && { exactName }),
      matches: compileAnchored(anchored),
      matchesLoosely: compileAnchored(toLoose(anchored)),
    };
  } catch (thrown) {
    if (isCapstanError(thrown)) return noPattern;
    throw thrown;
  }
}

const noPattern =
  "its pattern is invalid: use *, **, ?, [abc] and {a,b} as in the tool glob, not too long and without too many alternatives";

/** Adds a leading slash: without one, a pattern is read as a name in any folder. */
function compileAnchored(pattern: string): (path: string) => boolean {
  return compileGlob(`/${pattern}`);
}

function toLoose(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** For rules that allow: the resolved path counts. */
export function allowsPath(pattern: PathPattern, places: Places | undefined): boolean {
  const path = places && pathFor(pattern, places.real);
  return path !== undefined && pattern.matches(path);
}

/** For rules that deny or ask. */
export function fitsPath(pattern: PathPattern, places: Places | undefined): Fit {
  if (places === undefined) return "maybe";
  const paths = [places.written, places.real].map(
    (place) =>
      pathFor(pattern, place) ?? (pattern.isAnywhere ? withoutRoot(place.absolute) : undefined),
  );
  const fits = paths.some((path) => path !== undefined && pattern.matchesLoosely(toLoose(path)));
  return fits ? "yes" : "no";
}

function pathFor(pattern: PathPattern, { absolute, inside }: Place): string | undefined {
  return pattern.isAbsolute ? withoutRoot(absolute) : inside;
}

function withoutRoot(absolute: string): string {
  return absolute.replace(/^\//, "");
}

const maxParts = 64;
const maxNameChars = 255;

/** Undefined if no file can have the path, or if resolving it would take long. */
export function placesOf(path: unknown, cwd: string): Places | undefined {
  if (typeof path !== "string" || path === "" || path.includes("\0")) return undefined;
  const wanted = resolve(cwd, path);
  const parts = wanted.split(sep);
  if (parts.length > maxParts || parts.some((part) => part.length > maxNameChars)) return undefined;
  return { written: toPlace(wanted, cwd), real: toPlace(toReal(wanted), toReal(cwd)) };
}

function toPlace(path: string, cwd: string): Place {
  const way = wayInside(cwd, path);
  const absolute = toSlashes(path);
  return way === undefined ? { absolute } : { absolute, inside: toSlashes(way) || "." };
}

function toSlashes(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

/** Resolves links; for a missing file, resolves its nearest existing folder. */
function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Missing or not accessible.
    return dirname(path) === path ? path : join(toReal(dirname(path)), basename(path));
  }
}
