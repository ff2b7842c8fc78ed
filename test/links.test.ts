import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

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

/** Addresses of the repository's own files. READMEs of packages use them, because npm and tarballs have no other files. */
const ownAddress = /^https:\/\/github\.com\/capstan-run\/capstan\/(?:blob|tree)\/main\//;

const allLinksOf = (page: string): Link[] =>
  [...withoutCode(readFileSync(page, "utf8")).matchAll(/\]\(([^()\s]+)\)/g)].map(
    ([, target = ""]) => ({ page, target }),
  );

const linksOf = (page: string): Link[] =>
  allLinksOf(page)
    .map(({ target }) => ({
      page,
      target: target.replace(ownAddress, `${relative(dirname(page), root) || "."}/`),
    }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));

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

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = [...withoutCode(readFileSync(file, "utf8")).matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}
