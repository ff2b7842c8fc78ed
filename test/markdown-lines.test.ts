import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longLines, markdownPages, wrapMarkdown } from "../scripts/wrap-markdown.ts";

const root = join(import.meta.dirname, "..");
const words = (count: number): string => "word ".repeat(count).trim();

test("lines of Markdown have at most 120 characters, unless they cannot be broken", () => {
  const tooLong = markdownPages().flatMap((page) =>
    longLines(readFileSync(join(root, page), "utf8")).map((line) => `${page}:${line}`),
  );

  expect(tooLong, "node scripts/wrap-markdown.ts wraps them").toEqual([]);
});

test("long prose and list items are found; rows, code, headings and long words are not", () => {
  const lines = [words(30), `- ${words(30)}`, `| ${words(30)} |`, `## ${words(30)}`, "```"];

  const found = longLines([...lines, words(30), "```", "x".repeat(150), ""].join("\n"));

  expect(found).toEqual([1, 2]);
});

test("wrapped prose keeps its words, and items keep their indentation", () => {
  const wrapped = wrapMarkdown(`- ${words(30)}\n  ${words(3)}\n- short\n`);

  expect(wrapped.split("\n")).toEqual([`- ${words(23)}`, `  ${words(10)}`, "- short", ""]);
});

test("a word that looks like the marker of an item does not begin a line", () => {
  const text = `${words(23)} abcd - more ${words(3)}`;

  expect(wrapMarkdown(`${text} ${words(20)}`).split("\n")).not.toContainEqual(
    expect.stringMatching(/^- /),
  );
});
