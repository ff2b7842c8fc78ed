/** `edit(pattern)` and the like: a pattern of paths, and where the path of a call leads. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isCapstanError } from "@capstan/kernel";
import { compileGlob } from "@capstan/toolset";
import { wayInside } from "./way-inside.ts";
import type { Fit } from "./command-pattern.ts";

export interface PathPattern {
  readonly type: "path";
  readonly isAbsolute: boolean;
  /** Whether it begins in any folder. */
  readonly isAnywhere: boolean;
  matches(path: string): boolean;
  /** The same without regard to upper and lower case, which some file systems do not tell apart. */
  matchesLoosely(path: string): boolean;
}

/** One place, with `/` between its parts. */
export interface Place {
  readonly absolute: string;
  /** From the working folder; absent outside of it. */
  readonly inside?: string;
}

/** Where the path of a call leads: as it is written, and with links resolved. */
export interface Places {
  readonly written: Place;
  readonly real: Place;
}

const absolutePath = /^(?:\/|[A-Za-z]:\/)/;
/** A text is the reason why it is none. */
export function parsePathRule(pattern: string): PathPattern | string {
  const isAbsolutePattern = absolutePath.test(pattern);
  const parts = pattern.replace(/^(?:\.?\/)/, "").split("/");
  if (pattern.startsWith("~")) return "~ is not expanded: write the whole path";
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return "it has an empty part, . or .., which no path has: end with /** for all that is in a folder";
  }
  // A name alone is meant in whatever folder, as in the tool glob; ./name is meant in the working folder.
  const isName = parts.length === 1 && !/^\.?\//.test(pattern);
  const anchored = isName ? `**/${pattern}` : parts.join("/");
  try {
    return {
      type: "path",
      isAbsolute: isAbsolutePattern,
      isAnywhere: anchored.startsWith("**/"),
      matches: compileAnchored(anchored),
      matchesLoosely: compileAnchored(toLoose(anchored)),
    };
  } catch (thrown) {
    if (isCapstanError(thrown)) return noPattern;
    throw thrown;
  }
}

const noPattern =
  "its pattern is none that the tool glob takes: *, **, ?, [abc] and {a,b}, not too long and not with too many choices";

/** The slash in front: without one a pattern is taken for a name in any folder. */
function compileAnchored(pattern: string): (path: string) => boolean {
  return compileGlob(`/${pattern}`);
}

function toLoose(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** For rules that allow: where it really leads is what counts. */
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

/** Undefined for what no file can be called, or what would take long to look at. */
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

/** Of what is not there, the nearest folder that is decides. */
function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there, or not to be looked at.
    return dirname(path) === path ? path : join(toReal(dirname(path)), basename(path));
  }
}
