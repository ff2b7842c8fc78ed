import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../scripts/site/links.ts";

const root = join(import.meta.dirname, "..");
const pages = globSync(
  "{*.md,docs/**/*.md,packages/*/README.md,bench/*.md,examples/**/README.md}",
  {
    cwd: root,
    exclude: ["**/node_modules/**"],
  },
).map((path) => join(root, path));

interface Link {
  readonly page: string;
  readonly target: string;
}

const allLinksOf = (page: string): Link[] =>
  [...withoutCode(readFileSync(page, "utf8")).matchAll(/\]\(([^()\s]+)\)/g)].map(
    ([, target = ""]) => ({ page, target }),
  );

/** Links to the repository's own address lead to its files, too. READMEs of packages use them, because npm has no other files. */
const linksOf = (page: string): Link[] =>
  allLinksOf(page)
    .map(({ target }) => ({ page, target: toRelative(page, target) }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));

function toRelative(page: string, target: string): string {
  const path = /^(.+)\/(?:blob|tree)\/main\/(.+)$/.exec(target);
  return path?.[1] === repository ? relative(dirname(page), join(root, path[2] ?? "")) : target;
}

const anchors = new Map<string, ReadonlySet<string>>();

const links = pages.flatMap(linksOf);

const shown = ({ page, target }: Link): string => `${relative(root, page)}: ${target}`;

test("every link of a page leads to a file of the repository", () => {
  const dead = links.filter(({ page, target }) => {
    const [path = ""] = target.split("#");
    return path !== "" && !existsSync(resolve(dirname(page), path));
  });

  expect(dead.map(shown)).toEqual([]);
});

test("every anchor of a link is a heading of its page", () => {
  const dead = links.filter(({ page, target }) => {
    const [path = "", anchor] = target.split("#");
    if (anchor === undefined) return false;
    const file = path === "" ? page : resolve(dirname(page), path);
    return file.endsWith(".md") && existsSync(file) && !anchorsOf(file).has(anchor);
  });

  expect(dead.map(shown)).toEqual([]);
});

test("links of a package's README work outside of the repository", () => {
  const relativeLinks = pages
    .filter((page) => /packages\/[a-z]+\/README\.md$/.test(page))
    .flatMap(allLinksOf)
    .filter(({ target }) => !/^(?:https?:|#)/.test(target));

  expect(relativeLinks.map(shown)).toEqual([]);
});

test("addresses of files are those of files, and addresses of folders those of folders", () => {
  const wrong = pages.flatMap(allLinksOf).filter(({ target }) => {
    const [, kind, path = ""] =
      /capstan-run\/capstan\/(blob|tree)\/main\/([^#]*)/.exec(target) ?? [];
    const file = join(root, path);
    return (
      kind !== undefined && existsSync(file) && statSync(file).isDirectory() !== (kind === "tree")
    );
  });

  expect(wrong.map(shown)).toEqual([]);
});

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, "");
}

/** Anchors of headings, as GitHub makes them: a repeated one gets a number. */
function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchors.get(file);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  const headings = [...withoutCode(readFileSync(file, "utf8")).matchAll(/^#+ (.+)$/gm)];
  const found = headings.map(([, heading = ""]) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  anchors.set(file, new Set(found));
  return new Set(found);
}
