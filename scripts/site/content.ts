/** Turns the Markdown of the repository, which GitHub shows as it is, into pages of the site. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fence, relativeTo, repositoryLink, withLinks } from "./links.ts";

/** A page of the site. */
export interface Page {
  /** Path on the site, with `.md`: `start/over-http.md`; `index.md` for the README of a folder. */
  readonly path: string;
  readonly title: string;
  /** First paragraph as plain text, or an empty text. */
  readonly summary: string;
  /** Markdown with links that work on the site. */
  readonly text: string;
}

const root = join(import.meta.dirname, "..", "..");

/** Returns the pages of docs, and the README as the home page. */
export function readPages(): readonly Page[] {
  const files = globSync("docs/**/*.md", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  return [pageOf("README.md"), ...files.toSorted().map(pageOf)];
}

function pageOf(file: string): Page {
  const source = readFileSync(join(root, file), "utf8").replace(/^<!-- Generated .*? -->\n\n/m, "");
  const title = /^# (.+)$/m.exec(source)?.[1]?.replaceAll("`", "") ?? file;
  return {
    path: sitePath(file),
    title,
    summary: summaryOf(source),
    text: toSiteText(source, file),
  };
}

/** Returns the Markdown of a file of the repository as it is on the site. Throws if it links to a file that does not exist. */
export function toSiteText(source: string, file: string): string {
  return tabsToGroups(withLinks(source, file, (linked) => siteLink(linked, sitePath(file))));
}

/** Path on the site of a file that has a page there. */
function sitePath(file: string): string {
  if (file === "README.md") return "index.md";
  // The README of the repository is the home page.
  return file === "docs/README.md"
    ? "overview.md"
    : posix.relative("docs", file).replace(/(^|\/)README\.md$/, "$1index.md");
}

function summaryOf(source: string): string {
  const paragraphs = source.replaceAll(fence, "").split(/\n{2,}/);
  const first = paragraphs.find((paragraph) => /^[\w`"*[(]/.test(paragraph.trim())) ?? "";
  return first
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function siteLink(linked: string, from: string): string {
  if (linked === "README.md" || /^docs\/.+\.(?:md|svg|png)$/.test(linked)) {
    return relativeTo(from, sitePath(linked));
  }
  const index = `${linked}/README.md`;
  const hasPage = linked.startsWith("docs/") && existsSync(join(root, index));
  return hasPage ? relativeTo(from, sitePath(index)) : repositoryLink(linked);
}

/** Turns blocks between `<!-- tabs -->` and `<!-- /tabs -->`, each with a `title="…"`, into a group of tabs. */
function tabsToGroups(source: string): string {
  return source.replaceAll(
    /^<!-- tabs -->\n(.*?)^<!-- \/tabs -->$/gms,
    (_, blocks: string) =>
      `::: code-group\n${blocks.replaceAll(/^```(\w+) title="([^"]+)"$/gm, "```$1 [$2]")}:::`,
  );
}
