import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const maxChars = 120;

/** Lines of prose that are too long, and could be broken. Rows of tables, code and single long words cannot. */
function longLinesIn(text: string): readonly number[] {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isCode || isFence || line.length <= maxChars || /^\||^ {4}\S/.test(line)) return [];
    const words = line
      .trim()
      .replace(/^(?:[-*+]|\d+\.|#+|>) /, "")
      .split(" ");
    return words.length > 1 ? [index + 1] : [];
  });
}

test("lines of Markdown have at most 120 characters, unless they cannot be broken", () => {
  const pages = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] });

  const tooLong = pages.flatMap((page) =>
    longLinesIn(readFileSync(join(root, page), "utf8")).map((line) => `${page}:${line}`),
  );

  expect(tooLong).toEqual([]);
});

test("long prose and list items are found; rows, code and long words are not", () => {
  const words = "word ".repeat(30).trim();
  const text = [words, `- ${words}`, `| ${words} |`, "```", words, "```", "x".repeat(150)];

  expect(longLinesIn(text.join("\n"))).toEqual([1, 2]);
});
