/** Searches in Node, if there is no ripgrep. Slower, and uses JavaScript's regular expressions. */
import { createContext, Script } from "node:vm";
import { basename, dirname } from "node:path";
import { FileError } from "../files/file-error.ts";
import { Folder, inFolder } from "../files/folder.ts";
import { readTextIn } from "../files/text-file.ts";
import { walk } from "../find/walk.ts";
import type { FoundLine, Search } from "./search.ts";

/** Time limit per file. An expression may take forever, and would block the whole process. */
const maxMatchMs = 1000;

export async function* searchInNode(search: Search): AsyncGenerator<FoundLine> {
  const find = compile(search);
  if (search.isFile) {
    const { real, path } = search;
    const folder = Folder.open(dirname(real), path);
    yield* linesOf(
      await inFolder(folder, (opened) => find(opened, basename(real))),
      basename(real),
    );
    return;
  }
  for await (const file of walk(search.real, search)) {
    if (search.includes(file.path)) yield* linesOf(await find(file.folder, file.name), file.path);
  }
}

type FoundInFile = readonly Omit<FoundLine, "path">[];

function* linesOf(found: FoundInFile, path: string): Generator<FoundLine> {
  for (const line of found) yield { path, ...line };
}

// In its own context, because only there can a search be stopped by a timeout.
const script = new Script(`(() => {
  const expression = new RegExp(source, flags);
  const numbers = [];
  lines.forEach((line, index) => expression.test(line) && numbers.push(index));
  return numbers;
})()`);

function compile(search: Search): (folder: Folder, name: string) => Promise<FoundInFile> {
  const { source, flags } = toExpression(search);
  return async (folder, name) => {
    search.signal.throwIfAborted();
    const file = await readTextIn(folder, name, name).catch(ignoreUnreadable);
    const lines = file?.text.split(/\r?\n/) ?? [];
    if (lines.at(-1) === "") lines.pop();
    const matches = matchesIn({ source, flags, lines }, search.pattern);
    return withContext(lines, matches, search.context);
  };
}

interface Expression {
  readonly source: string;
  readonly flags: string;
}

function toExpression({ pattern, literal, ignoreCase }: Search): Expression {
  if (literal) {
    return {
      source: pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
      flags: ignoreCase ? "i" : "",
    };
  }
  // JavaScript does not support the inline flag (?i).
  const source = pattern.replace(/^\(\?i\)/, "");
  const flags = ignoreCase || source !== pattern ? "i" : "";
  // With the flag "u" more is supported, such as \p{L}, and more is rejected, such as \".
  const attempts = [`${flags}u`, flags].map((one) => parse(source, one));
  const usable = attempts.find((one) => one instanceof RegExp);
  if (usable !== undefined) return usable;
  throw new FileError(
    "invalid_pattern",
    `${pattern} is not a valid regular expression. Set literal to true to search for it as plain text.\n${String(attempts[0])}`,
  );
}

function parse(source: string, flags: string): RegExp | string {
  try {
    return new RegExp(source, flags);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function ignoreUnreadable(thrown: unknown): undefined {
  // Binary, too large, gone, or not accessible: skipped, as in every search.
  if (thrown instanceof FileError) return undefined;
  throw thrown;
}

function matchesIn(
  input: Expression & { readonly lines: readonly string[] },
  pattern: string,
): readonly number[] {
  try {
    // The script returns only a list of numbers.
    const found = script.runInContext(createContext({ ...input }), { timeout: maxMatchMs });
    return found as readonly number[];
  } catch (cause) {
    const problem = `${pattern} takes too long to search for. Avoid nested repetitions.`;
    throw new FileError("invalid_pattern", problem, { cause });
  }
}

function withContext(
  lines: readonly string[],
  matches: readonly number[],
  context: number,
): FoundInFile {
  const matching = new Set(matches);
  const shown = new Set(
    matches.flatMap((index) =>
      Array.from({ length: 2 * context + 1 }, (_, offset) => index - context + offset),
    ),
  );
  return [...shown].flatMap((index) => {
    const text = lines[index];
    return text === undefined ? [] : [{ line: index + 1, text, isMatch: matching.has(index) }];
  });
}
