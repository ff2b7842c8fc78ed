// Builds the site of the documents into site/dist: `npm run docs`. `-- --serve` shows it while you write.
// Needs `npm ci --prefix site`.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readPages } from "./site/content.ts";
import type { Page } from "./site/content.ts";
import { deadLinks } from "./site/dead-links.ts";
import { llmsFullTxt, llmsTxt } from "./site/llms.ts";

const root = join(import.meta.dirname, "..");
const site = join(root, "site");
const vitepress = join(site, "node_modules", "vitepress", "bin", "vitepress.js");
const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(site, "dist") },
    base: { type: "string", default: "/" },
    serve: { type: "boolean", default: false },
  },
});
const { base } = values;
const out = resolve(values.out);

if (existsSync(vitepress)) buildSite(readPages());
else fail("The site generator is not installed: run npm ci --prefix site");

function buildSite(pages: readonly Page[]): void {
  writeContent(pages);
  const command = values.serve ? ["dev", site] : ["build", site, "--outDir", out];
  const { status } = spawnSync(process.execPath, [vitepress, ...command, "--base", base], {
    stdio: "inherit",
  });
  if (values.serve || status !== 0) return fail(undefined, status ?? 1);
  writeTexts(pages);
  const dead = deadLinks(out, base);
  if (dead.length > 0) fail(dead.map((link) => `dead link: ${link}`).join("\n"));
  else console.log(`${pages.length} pages in ${out}`);
}

/** The pages as the generator reads them. */
function writeContent(pages: readonly Page[]): void {
  const content = join(site, "content");
  rmSync(content, { recursive: true, force: true });
  for (const { path, text } of pages) write(join(content, path), text);
  cpSync(join(root, "docs", "images"), join(content, "images"), { recursive: true });
  cpSync(join(site, "public"), join(content, "public"), { recursive: true });
}

/** Files for language models: the lists, and each page as Markdown beside its HTML. */
function writeTexts(pages: readonly Page[]): void {
  write(join(out, "llms.txt"), llmsTxt(pages, base));
  write(join(out, "llms-full.txt"), llmsFullTxt(pages));
  for (const { path, text } of pages) write(join(out, path), text);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function fail(message: string | undefined, status = 1): void {
  if (message !== undefined) console.error(message);
  process.exitCode = status;
}
