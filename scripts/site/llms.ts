/** Writes llms.txt, the list of pages for language models, and llms-full.txt, the text of those that explain. */
import type { Page } from "./content.ts";

/** Pages that would fill a model's context and that few questions need. */
const isDetail = ({ path }: Page): boolean => /^(?:reference|decisions)\//.test(path);

/** Returns the list of all pages, as https://llmstxt.org proposes it. */
export function llmsTxt(pages: readonly Page[], base: string): string {
  const row = ({ path, title, summary }: Page): string =>
    `- [${title}](${base}${path})${summary === "" ? "" : `: ${summary}`}`;
  const [home, ...others] = pages;
  const main = others.filter((page) => !isDetail(page));
  const details = others.filter(isDetail);
  return [
    `# ${home?.title ?? ""}`,
    `> ${home?.summary ?? ""}`,
    `All of the pages below except "Details" are in one file: [llms-full.txt](${base}llms-full.txt).`,
    `## Docs\n\n${main.map(row).join("\n")}`,
    `## Details\n\n${details.map(row).join("\n")}`,
    "",
  ].join("\n\n");
}

/** Returns the text of the pages, each after a line that names it. */
export function llmsFullTxt(pages: readonly Page[]): string {
  return pages
    .filter((page) => !isDetail(page))
    .map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}\n`)
    .join("\n\n");
}
