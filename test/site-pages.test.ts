import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readPages, toSiteText } from "../scripts/site/content.ts";
import { deadLinks } from "../scripts/site/dead-links.ts";
import { repository } from "../scripts/site/links.ts";
import { llmsTxt } from "../scripts/site/llms.ts";
import { sidebarOf } from "../scripts/site/sidebar.ts";

test("a link to a page stays on the site, and a link to another file leads to the repository", () => {
  const text = "[a](errors.md#codes) [b](start/README.md) [c](../examples) [d](../LICENSE) [e](#x)";

  const shown = toSiteText(text, "docs/limits.md");

  expect(shown).toBe(
    `[a](./errors.md#codes) [b](./start/index.md) [c](${repository}/tree/main/examples) ` +
      `[d](${repository}/blob/main/LICENSE) [e](#x)`,
  );
});

test("a link in a block of code is left as it is", () => {
  const text = "```md\n[a](../LICENSE)\n```\n";

  expect(toSiteText(text, "docs/limits.md")).toBe(text);
});

test("a link to a file that does not exist stops the build", () => {
  expect(() => toSiteText("[a](../nowhere.ts)", "docs/limits.md")).toThrow(
    /There is no nowhere.ts/,
  );
});

test("blocks between the comments for tabs become one group, titled by their info strings", () => {
  const text =
    '<!-- tabs -->\n```sh title="npm"\nnpm ci\n```\n```sh title="pnpm"\npnpm i\n```\n<!-- /tabs -->\n';

  const shown = toSiteText(text, "docs/limits.md");

  expect(shown).toBe("::: code-group\n```sh [npm]\nnpm ci\n```\n```sh [pnpm]\npnpm i\n```\n:::\n");
});

test("every page of docs is on the site, in its sidebar and in llms.txt", () => {
  const pages = readPages();

  const linked = sidebarOf(pages).flatMap(({ items }) => items.map(({ link }) => link));
  const listed = llmsTxt(pages, "/");

  const [home, ...others] = pages;
  expect(home?.path).toBe("index.md");
  expect(new Set(linked).size).toBe(others.length);
  expect(others.filter(({ path }) => !listed.includes(`](/${path})`))).toEqual([]);
});

test("links of built pages that lead nowhere are found, with their pages", () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "start"));
  const links = ["/base/", "start/", "gone.html", "start/#here", "start/#there", "mailto:a@b"];
  const html = links.map((link) => `<a href="${link}">`).join("");
  writeFileSync(join(folder, "index.html"), html);
  writeFileSync(join(folder, "start", "index.html"), '<p id="here"><a href="../index.html">');

  expect(deadLinks(folder, "/base/")).toEqual([
    "index.html: gone.html",
    "index.html: start/#there",
  ]);
});
