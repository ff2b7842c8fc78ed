import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

function readAll(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
}

test("every TypeScript block of a README or a document is a file in examples", () => {
  const examples = readAll("examples/{*,mounts/*}.ts");

  const blocks = readAll("{README.md,packages/*/README.md,docs/**/*.md}").flatMap((text) =>
    [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1]),
  );

  expect(examples).toEqual(expect.arrayContaining(blocks));
});

test("every example is in the cookbook", () => {
  const cookbook = readFileSync(join(root, "docs/cookbook/README.md"), "utf8");

  const missing = globSync("examples/*.ts", { cwd: root }).filter(
    (example) => !cookbook.includes(`(../../${example})`),
  );

  expect(missing).toEqual([]);
});

test("every test file that a document names exists", () => {
  const tests = globSync("{packages/*/test,test}/**/*.test.ts", { cwd: root });

  const missing = readAll("{*.md,packages/*/README.md,docs/**/*.md}")
    .flatMap((text) =>
      [...text.matchAll(/`([\w./*-]+\.test\.ts)`/g)].map((match) => match[1] ?? ""),
    )
    .filter((name) => !tests.some((path) => matchesGlob(path, `**/${name}`)));

  expect(missing).toEqual([]);
});
