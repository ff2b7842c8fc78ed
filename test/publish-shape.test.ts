import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { repository, withLinks } from "../scripts/site/links.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const folders = globSync("packages/*/package.json", { cwd: root }).map((path) => dirname(path));

test("all packages have one version, and depend on each other in that version", () => {
  const manifests = folders.map((folder) => JSON.parse(read(`${folder}/package.json`)));

  const versions = new Set(manifests.map(({ version }) => version));
  const ranges = manifests.flatMap(({ dependencies = {} }) =>
    Object.entries(dependencies)
      .filter(([name]) => name.startsWith("@capstan/"))
      .map(([, range]) => range),
  );

  expect(versions.size).toBe(1);
  expect(new Set(ranges)).toEqual(versions);
});

test.each(folders)("%s says where it comes from, and is published with provenance", (folder) => {
  const manifest = JSON.parse(read(`${folder}/package.json`));

  expect(manifest).toMatchObject({
    license: "MIT",
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
    publishConfig: { access: "public", provenance: true },
    engines: { node: ">=22.18" },
  });
  expect(manifest.description).toMatch(/^.{20,120}$/);
  expect(manifest.keywords.length).toBeGreaterThan(3);
  expect(manifest).not.toHaveProperty("author");
});

test.each(folders)("%s has the license of the repository", (folder) => {
  expect(read(`${folder}/LICENSE`)).toBe(read("LICENSE"));
});

test.each(folders)("%s is free of side effects when it is imported, or has a command", (folder) => {
  const { sideEffects, bin } = JSON.parse(read(`${folder}/package.json`));

  expect(sideEffects === false || bin !== undefined).toBe(true);
});

test.each(folders)("links of the README of %s work outside of the repository", (folder) => {
  const leaving: string[] = [];

  withLinks(read(`${folder}/README.md`), `${folder}/README.md`, (linked) => {
    if (!linked.startsWith(`${folder}/`)) leaving.push(linked);
    return linked;
  });

  expect(leaving, `begin these links with ${repository}/blob/main/`).toEqual([]);
});
