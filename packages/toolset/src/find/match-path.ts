/**
 * Matches one path pattern, as in `src/**` + `/*.ts`, without one regular expression for all of it: pattern and path may come from an attacker,
 * and such an expression could take forever. Shared by `glob`, `grep`, .gitignore files and permission rules.
 */

export type MatchPath = (path: string) => boolean;

/** Whether a name matches; undefined for `**`, which matches any number of folders, including none. */
type Part = ((name: string) => boolean) | undefined;

/** Matches a whole relative path with `/`. Throws a `SyntaxError` for an invalid [set]. */
export function compilePath(pattern: string): MatchPath {
  const written = pattern.split("/");
  // At the end `**` matches everything in the folder, but not the folder itself.
  const spelled = written.at(-1) === "**" ? [...written, "*"] : written;
  const parts = spelled.map((part) => (part === "**" ? undefined : compileName(part)));
  return (path) => fitsParts(parts, path.split("/"));
}

/** On a mismatch the last `**` takes one more name. Earlier ones need no retry: the last can take whatever they could. */
function fitsParts(parts: readonly Part[], names: readonly string[]): boolean {
  let index = 0;
  let afterStars: number | undefined;
  let takenByStars = 0;
  for (let at = 0; at < names.length;) {
    const part = parts[index];
    if (index < parts.length && part === undefined) {
      index += 1;
      afterStars = index;
      takenByStars = at;
    } else if (part?.(names[at] ?? "") === true) {
      index += 1;
      at += 1;
    } else if (afterStars === undefined) {
      return false;
    } else {
      index = afterStars;
      takenByStars += 1;
      at = takenByStars;
    }
  }
  while (index < parts.length && parts[index] === undefined) index += 1;
  return index === parts.length;
}

/** Whether one character matches. */
type Fits = (character: string) => boolean;

/** Text between two stars; a name without stars is a single piece. */
interface Piece {
  text: string;
  /** Undefined while every character is literal. */
  characters: Fits[] | undefined;
}

const token = /\\(.)|(\*+)|(\?)|\[(!|\^)?(\]?[^\]]*)\]|(.)/gsu;

function compileName(part: string): (name: string) => boolean {
  const pieces: Piece[] = [{ text: "", characters: undefined }];
  for (const [, escaped, stars, one, not, set, plain] of part.matchAll(token)) {
    const piece = pieces.at(-1) as Piece;
    const literal = escaped ?? plain;
    if (stars !== undefined) pieces.push({ text: "", characters: undefined });
    else if (literal !== undefined) addLiteral(piece, literal);
    else addFits(piece, one === undefined ? compileSet(set ?? "", not !== undefined) : () => true);
  }
  const isLiteral = pieces.every(({ characters }) => characters === undefined);
  if (isLiteral) return fitsTexts(pieces.map(({ text }) => text));
  const fits = pieces.map(({ text, characters }) => characters ?? Array.from(text, toFits));
  return (name) => fitsPieces(fits, Array.from(name));
}

function addLiteral(piece: Piece, character: string): void {
  piece.text += character;
  piece.characters?.push(toFits(character));
}

function addFits(piece: Piece, fits: Fits): void {
  piece.characters ??= Array.from(piece.text, toFits);
  piece.characters.push(fits);
}

function toFits(wanted: string): Fits {
  return (character) => character === wanted;
}

function compileSet(set: string, isNegated: boolean): Fits {
  // A dash keeps its meaning; all other special characters of a regular expression's set are escaped.
  const source = set.replaceAll(/[\\\]^[&~|(){}/.*+?$]/gu, "\\$&");
  const expression = new RegExp(`^[${isNegated ? "^" : ""}${source}]$`, "su");
  return (character) => expression.test(character);
}

/** Matches each text at its first position after the previous one: backtracking is never needed. */
function fitsTexts([first = "", ...others]: readonly string[]): (name: string) => boolean {
  const last = others.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const text of others) {
      const found = name.indexOf(text, at);
      if (found === -1) return false;
      at = found + text.length;
    }
    return at <= end;
  };
}

/** Like `fitsTexts`, character by character. */
function fitsPieces(pieces: readonly (readonly Fits[])[], name: readonly string[]): boolean {
  const [first = [], ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return name.length === first.length && fitsAt(first, name, 0);
  const end = name.length - last.length;
  if (end < first.length || !fitsAt(first, name, 0) || !fitsAt(last, name, end)) return false;
  let at = first.length;
  for (const piece of others) {
    while (at + piece.length <= end && !fitsAt(piece, name, at)) at += 1;
    at += piece.length;
    if (at > end) return false;
  }
  return true;
}

function fitsAt(piece: readonly Fits[], name: readonly string[], at: number): boolean {
  return piece.every((fits, index) => fits(name[at + index] ?? ""));
}
