/** Finds the paths of images in a paste: terminals paste a dragged file as a path, with quotes, escapes or as a URL. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const image = /\.(?:png|jpe?g|gif|webp)$/i;
const maxPaths = 20;
const maxChars = 8_192;

/** Absolute paths of existing files, if the paste is nothing but paths of images; else none. */
export function imagePathsIn(pasted: string, cwd: string): readonly string[] {
  const text = pasted.trim();
  if (text === "" || text.length > maxChars) return [];
  const whole = pathOf(text, cwd);
  // Some terminals escape nothing.
  if (isImage(whole)) return [whole];
  const paths = wordsOf(text).map((word) => pathOf(word, cwd));
  return paths.length <= maxPaths && paths.every(isImage) ? paths : [];
}

/** Splits like a shell: quotes and backslashes keep spaces. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replaceAll(/\\(.)/gs, "$1") ?? escaped ?? "",
    ),
  );
}

function pathOf(word: string, cwd: string): string {
  if (!word.startsWith("file://")) return resolve(cwd, word);
  try {
    return fileURLToPath(word);
  } catch {
    // Not a URL of a file on this machine: no such path exists.
    return word;
  }
}

function isImage(path: string): boolean {
  return image.test(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
