import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What users import: the package's name, and its subpaths. */
const entries = globSync("packages/*/package.json", { cwd: root }).flatMap((path) => {
  // npm refuses a package.json without these fields.
  const { name, exports } = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
  return Object.keys(exports)
    .filter((subpath) => !subpath.endsWith(".json"))
    .map((subpath) => [`${name}${subpath.slice(1)}`, dirname(path)] as const);
});

test.each(entries)("a test lists the names that %s exports", (entry, folder) => {
  const listed = readFileSync(join(root, folder, "test", "public-names.test.ts"), "utf8");

  expect(listed).toContain(`from "${entry}";`);
});
