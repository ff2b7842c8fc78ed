import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "../../src/find/glob-pattern.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 2_000);

const names = fc.stringMatching(/^[ab.]{1,4}$/);
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

/** A piece of a name, and the regular expression of it. */
const pieces = fc.constantFrom(
  ["a", "a"],
  ["b", "b"],
  [".", "\\."],
  ["*", "[^/]*"],
  ["?", "[^/]"],
  ["[ab]", "[ab]"],
  ["[!a]", "[^a/]"],
  ["\\*", "\\*"],
);
const parts = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 5 }).filter((list) => !isTwoStars(list)),
  fc.constant("**" as const),
);

function isTwoStars(list: readonly (readonly string[])[]): boolean {
  return list.length === 2 && list.every(([written]) => written === "*");
}

test("a pattern fits what the same expression fits", () => {
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), paths, (pattern, path) => {
      const written = pattern.map((part) => (part === "**" ? part : join(part, 0)));
      const last = pattern.length - 1;
      const source = pattern.map((part, index) => {
        if (part === "**") return index === last ? ".+" : "(?:[^/]+/)*";
        return join(part, 1) + (index === last ? "" : "/");
      });
      const expected = new RegExp(`^:/${source.join("")}$`).test(`:/${path}`);

      // A part in front: a pattern without a slash is about names in any folder.
      expect(compileGlob(`:/${written.join("/")}`)(`:/${path}`)).toBe(expected);
    }),
    { numRuns },
  );
});

function join(list: readonly (readonly string[])[], place: 0 | 1): string {
  return list.map((piece) => piece[place]).join("");
}

test.each([
  "**/*a*a*b/**/*a*a*b/**/*a*b",
  "**/*a*a*a*a*a*a*a*a*b",
  "**/*[a]*?*[!b]*a*?*a*a*b",
  `${"**/a*/".repeat(30)}b`,
  `${"*a".repeat(400)}b`,
  `{${"*a*a*b,".repeat(19)}x}/**`,
])("a pattern with many stars is done with soon: %s", (pattern) => {
  const path = Array.from({ length: 60 }, () => "a".repeat(250)).join("/");

  expect(compileGlob(pattern)(path)).toBe(false);
});

test.each(["{a,b}".repeat(30), "x".repeat(1_001), "[b-a]"])(
  "a pattern that stands for too much, or for nothing, is refused: %s",
  (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(
      expect.objectContaining({ code: "invalid_pattern" }),
    );
  },
);

test.each([
  ["a**/**/b", "a/x/b", true],
  ["a/**", "a", false],
  ["a/**/b", "a/b", true],
  ["?.md", "ü.md", true],
  ["?.md", "\u{1F600}.md", true],
  ["*\u{1F600}", "x\u{1F600}", true],
  ["a*a", "a", false],
  ["a", "b/a", true],
  ["./a", "b/a", false],
  ["/a", "a", true],
])("%s and %s: %s", (pattern, path, fits) => {
  expect(compileGlob(pattern)(path)).toBe(fits);
});
