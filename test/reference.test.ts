import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { referencePages } from "../scripts/reference/pages.ts";
import { publicEntries } from "../scripts/reference/public-names.ts";

const folder = join(import.meta.dirname, "..", "docs", "reference");
const entries = publicEntries();

test("every exported name has a doc comment", () => {
  const silent = entries.flatMap(({ specifier, names }) =>
    names.filter(({ doc }) => doc === "").map(({ name }) => `${specifier}: ${name}`),
  );

  expect(silent).toEqual([]);
});

test("every entry of a package says at its top what it is", () => {
  expect(entries.filter(({ doc }) => doc === "").map(({ specifier }) => specifier)).toEqual([]);
});

test("the reference is current: node scripts/reference.ts changes nothing", async () => {
  const pages = await referencePages();

  const stored = readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name), "utf8"),
  ]);

  expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(pages));
});

test("every exported name stands in the reference, with its declaration or a link to it", async () => {
  const pages = await referencePages();

  const missing = entries.flatMap(({ specifier, names }) => {
    const page = pages.get(`${specifier.replace("@capstan/", "").replaceAll("/", "-")}.md`) ?? "";
    return names
      .filter(({ name }) => !page.includes(`\n### ${name}\n`) && !page.includes(`| [\`${name}\`](`))
      .map(({ name }) => `${specifier}: ${name}`);
  });

  expect(missing).toEqual([]);
  expect(entries.length).toBeGreaterThan(30);
});
