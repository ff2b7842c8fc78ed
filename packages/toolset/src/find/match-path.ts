/**
 * One pattern of paths, as in `src/**` + `/*.ts`, without a regular expression for all of it: the pattern may be a stranger's and the path made for
 * it, and such an expression could then take for ever. Shared by `glob`, `grep`, .gitignore files and rules of permissions.
 */

export type MatchPath = (path: string) => boolean;

/** Whether a name fits; undefined for `**`, which stands for any folders, none included. */
type Part = ((name: string) => boolean) | undefined;

/** For a whole relative path with `/`. Throws a `SyntaxError` for a [set] that is none. */
export function compilePath(pattern: string): MatchPath {
  const written = pattern.split("/");
  // At the end it stands for whatever is in the folder, but not for the folder.
  const spelled = written.at(-1) === "**" ? [...written, "*"] : written;
  const parts = spelled.map((part) => (part === "**" ? undefined : compileName(part)));
  return (path) => fitsParts(parts, path.split("/"));
}

/** A name that does not fit is given to the last `**`, and to none before: whatever that one could take, the last can. */
function fitsParts(parts: readonly Part[], names: readonly string[]): boolean {
  let place = 0;
  let behindStars: number | undefined;
  let takenByStars = 0;
  for (let at = 0; at < names.length;) {
    const part = parts[place];
    if (place < parts.length && part === undefined) {
      place += 1;
      behindStars = place;
      takenByStars = at;
    } else if (part?.(names[at] ?? "") === true) {
      place += 1;
      at += 1;
    } else if (behindStars === undefined) {
      return false;
    } else {
      place = behindStars;
      takenByStars += 1;
      at = takenByStars;
    }
  }
  while (place < parts.length && parts[place] === undefined) place += 1;
  return place === parts.length;
}

/** Of one character. */
type Fits = (character: string) => boolean;

/** What stands between two stars: one piece where there is none. */
interface Piece {
  text: string;
  /** Undefined as long as every character stands for itself. */
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
  // Ranges keep their dash; everything else that means something in a set of a regular expression is taken as it is.
  const source = set.replaceAll(/[\\\]^[&~|(){}/.*+?$]/gu, "\\$&");
  const expression = new RegExp(`^[${isNegated ? "^" : ""}${source}]$`, "su");
  return (character) => expression.test(character);
}

/** Each text at its first place behind the one before: there is nothing to go back for. */
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

/** The same, character by character. */
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
