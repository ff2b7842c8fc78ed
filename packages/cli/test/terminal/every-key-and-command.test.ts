import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/terminal/commands/commands.ts";
import { keys } from "../../src/terminal/keys.ts";

/** Names of all tests of the terminal. */
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    return Array.from(
      text.matchAll(/\btest(?:\.each\([^]*?\))?\(\s*"([^"]+)"/g),
      ([, name]) => name,
    );
  });

/** Words that tests use for a key. */
const spoken: Readonly<Record<string, string>> = { pageUp: "page up", pageDown: "page down" };

const isTested = (pattern: RegExp): boolean => names.some((name = "") => pattern.test(name));

describe("has a test that is named for it", () => {
  test.each(keys.map(({ key }) => spoken[key] ?? key))("the key %s", (key) => {
    const word = key.replaceAll("+", String.raw`\+`);

    expect(isTested(new RegExp(`(?<![\\w+])${word}\\b`))).toBe(true);
  });

  test.each(commands.map(({ name }) => name))("the command /%s", (name) => {
    expect(isTested(new RegExp(`(?:^| )/${name}\\b`))).toBe(true);
  });
});
