/** Turns the Markdown of the repository, which GitHub shows as it is, into pages of the site. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

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

/** Repository of the links that leave the site. */
export const repository = "https://github.com/capstan-run/capstan";

const root = join(import.meta.dirname, "..", "..");
const fence = /^(`{3,})[^\n]*\n.*?^\1$/gms;

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
  return tabsToGroups(outsideOfCode(source, (prose) => withSiteLinks(prose, file)));
}

/** Path on the site of a file that has a page there. */
function sitePath(file: string): string {
  return file === "README.md"
    ? "index.md"
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

/** Changes the text between fenced blocks. */
function outsideOfCode(source: string, change: (prose: string) => string): string {
  let result = "";
  let end = 0;
  for (const match of source.matchAll(fence)) {
    result += change(source.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + change(source.slice(end));
}

/** Links between pages stay; links to other files of the repository lead there. */
function withSiteLinks(prose: string, file: string): string {
  return prose.replaceAll(/\]\(([^()\s]+)\)/g, (link, target: string) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return link;
    const [path = "", anchor] = target.split("#");
    const linked = posix.join(posix.dirname(file), path).replace(/\/$/, "");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    return `](${siteLink(linked, sitePath(file))}${hash})`;
  });
}

function siteLink(linked: string, from: string): string {
  const isPage = linked === "README.md" || /^docs\/.+\.(?:md|svg|png)$/.test(linked);
  if (isPage) return relativeTo(from, sitePath(linked));
  const path = join(root, linked);
  if (!existsSync(path)) throw new Error(`${from} links to ${linked}, which does not exist`);
  if (!statSync(path).isDirectory()) return `${repository}/blob/main/${linked}`;
  const hasPage = linked.startsWith("docs/") && existsSync(join(path, "README.md"));
  return hasPage
    ? relativeTo(from, sitePath(`${linked}/README.md`))
    : `${repository}/tree/main/${linked}`;
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

/** Turns blocks between `<!-- tabs -->` and `<!-- /tabs -->`, each with a `title="…"`, into a group of tabs. */
function tabsToGroups(source: string): string {
  return source.replaceAll(
    /^<!-- tabs -->\n(.*?)^<!-- \/tabs -->$/gms,
    (_, blocks: string) =>
      `::: code-group\n${blocks.replaceAll(/^```(\w+) title="([^"]+)"$/gm, "```$1 [$2]")}:::`,
  );
}
