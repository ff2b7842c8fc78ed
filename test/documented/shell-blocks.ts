/** Blocks of the pages that are not code of a program, and the commands in them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ShellCommand } from "./shell-words.ts";
import { commandsOf } from "./shell-words.ts";

const root = join(import.meta.dirname, "../..");

export interface Block {
  /** Path in the repository. */
  readonly page: string;
  readonly line: number;
  /** What follows the fence, without attributes. Undefined for indented lines, empty without any. */
  readonly language: string | undefined;
  readonly text: string;
}

export interface DocumentedCommand extends ShellCommand {
  readonly block: Block;
}

const patterns = [
  "*.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "packages/create-capstan/templates/**/*.md",
  "examples/**/*.md",
  "bench/*.md",
  "site/*.md",
];

/** Decisions say what was true on their day, and the reference is generated. */
const pages = globSync(patterns, {
  cwd: root,
  exclude: ["**/node_modules/**", "docs/decisions/**", "docs/reference/**"],
}).toSorted();

/** Pages whose sentences are about commands of the reader's own project. */
const isAboutOthers: ReadonlySet<string> = new Set(["docs/permissions.md"]);

const shells: ReadonlySet<string> = new Set(["sh", "bash", "console", "shell"]);

export function allBlocks(): readonly Block[] {
  return pages.flatMap((page) => blocksIn(page, readFileSync(join(root, page), "utf8")));
}

export function blocksIn(page: string, text: string): readonly Block[] {
  const fenced = Array.from(
    text.matchAll(/^( *)```([^\n]*)\n(.*?)^\1```/gms),
    ({ 2: info = "", 3: body = "", index }): Block => {
      const [language = ""] = info.split(" ");
      return { page, line: lineAt(text, index), language, text: body };
    },
  );
  const withoutFenced = text.replaceAll(/^( *)```.*?^\1```/gms, (block) =>
    block.replaceAll(/[^\n]/g, ""),
  );
  // Only after an empty line: the lines of a list are indented, too.
  const indented = Array.from(
    withoutFenced.matchAll(/(?<=^\n)(?: {4}\S[^\n]*\n)+/gm),
    ({ 0: body, index }): Block => ({
      page,
      line: lineAt(withoutFenced, index),
      language: undefined,
      text: body.replaceAll(/^ {4}/gm, ""),
    }),
  );
  return [...fenced, ...indented];
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

export function isShell({ language, text }: Block): boolean {
  if (language !== undefined && shells.has(language)) return true;
  return (
    (language === undefined || language === "") && /^(?:np[mx]|node|[A-Z_]+=\S+ np[mx]) /.test(text)
  );
}

/** In order. */
export function commandsIn(block: Block): readonly DocumentedCommand[] {
  // In a block without a language, two spaces separate a command from what it does.
  const text = block.language === "" ? block.text.replaceAll(/ {2,}.*/g, "") : block.text;
  return commandsOf(text).map((command) => ({ ...command, block }));
}

export function allCommands(): readonly DocumentedCommand[] {
  return allBlocks().filter(isShell).flatMap(commandsIn);
}

/** Commands in the middle of a sentence, such as `npm run crash -- --seed 1`. */
export function inlineCommands(): readonly DocumentedCommand[] {
  return pages
    .filter((page) => !isAboutOthers.has(page))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const found = text.matchAll(/`((?:npm (?:run|ci|start)|npx|node) [^`\n]+)`/g);
      return Array.from(found).flatMap(({ 1: code = "", index }) => {
        const line = lineAt(text, index);
        return commandsIn({ page, line, language: "sh", text: code });
      });
    });
}
