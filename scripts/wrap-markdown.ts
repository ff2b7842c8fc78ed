/** Wraps prose of Markdown: `node scripts/wrap-markdown.ts` rewrites the pages of the repository that have long lines. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Longest line of prose. Rows of tables, code and single long words cannot be broken. */
export const maxLineChars = 120;

/** Files that are installed or generated. */
const exclude = ["**/node_modules/**", "**/dist/**", "packages/*/docs/**", "site/content/**"];

const root = join(import.meta.dirname, "..");

/** Pages of the repository, relative to its root. */
export function markdownPages(): readonly string[] {
  return globSync("**/*.md", { cwd: root, exclude });
}

/** A paragraph or an item of a list, or lines that stay as they are. */
interface Block {
  readonly lines: readonly string[];
  /** Number of the first line, from 1 on. */
  readonly firstLine: number;
  readonly isProse: boolean;
}

const item = /^\s*(?:[-*+]|\d+\.)\s+/;

/** Numbers of the lines that are too long and can be broken. */
export function longLines(text: string): readonly number[] {
  return blocksOf(text)
    .filter(({ isProse }) => isProse)
    .flatMap(({ lines, firstLine }) =>
      lines.flatMap((line, index) => (isLong(line) ? [firstLine + index] : [])),
    );
}

/** Wraps paragraphs and items that have a line which is too long. Others stay as they are. */
export function wrapMarkdown(text: string): string {
  return blocksOf(text)
    .flatMap(({ lines, isProse }) => (isProse && lines.some(isLong) ? wrap(lines) : lines))
    .join("\n");
}

function isLong(line: string): boolean {
  return line.length > maxLineChars && /\S\s+\S/.test(line.replace(item, ""));
}

function blocksOf(text: string): readonly Block[] {
  const blocks: { lines: string[]; firstLine: number; isProse: boolean }[] = [];
  let isCode = false;
  for (const [index, line] of text.split("\n").entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const isProse = !isCode && !isFence && !/^(?:#|\||<|---|>| {4}|!\[|\s*$)/.test(line);
    if (isFence) isCode = !isCode;
    const last = blocks.at(-1);
    const continues = isProse && last?.isProse === true && !item.test(line);
    if (continues) last.lines.push(line);
    else blocks.push({ lines: [line], firstLine: index + 1, isProse });
  }
  return blocks;
}

function wrap(lines: readonly string[]): readonly string[] {
  const [first = ""] = lines;
  const marker = item.exec(first)?.[0] ?? /^\s*/.exec(first)?.[0] ?? "";
  const indent = " ".repeat(marker.length);
  const text = [first.slice(marker.length), ...lines.slice(1)].map((line) => line.trim()).join(" ");
  const wrapped: string[] = [];
  let line = marker;
  for (const word of wordsOf(text)) {
    const isFirst = line.trim() === marker.trim();
    if (isFirst) line += word;
    else if (line.length + 1 + word.length <= maxLineChars) line += ` ${word}`;
    else {
      wrapped.push(line);
      line = indent + word;
    }
  }
  return [...wrapped, line];
}

/** Words, with short code spans as one. A word that would be read as the marker of an item stays with the word before it. */
function wordsOf(text: string): readonly string[] {
  const joined = text
    .replaceAll(/`[^`]{1,70}`/g, (span) => span.replaceAll(" ", "\0"))
    .replaceAll(/ (?=(?:[-+*#>|]+|\d+\.) )/g, "\0");
  return joined.split(/ +/).map((word) => word.replaceAll("\0", " "));
}

if (import.meta.filename === process.argv[1]) {
  for (const page of markdownPages()) {
    const path = join(root, page);
    const text = readFileSync(path, "utf8");
    const wrapped = wrapMarkdown(text);
    if (wrapped === text) continue;
    writeFileSync(path, wrapped);
    console.log(page);
  }
}
