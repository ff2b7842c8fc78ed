/** Links of Markdown files, for the places where their neighbours are not. */
import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** Where the files of the repository are read by people who have not cloned it. */
export const repository = "https://github.com/capstan-run/capstan";

/** Fenced blocks of code. */
export const fence: RegExp = /^(`{3,})[^\n]*\n.*?^\1$/gms;

const root = join(import.meta.dirname, "..", "..");

/**
 * Replaces the relative links of a file, outside of code. `toLink` gets the path of the linked file in the repository and
 * returns the new link; anchors stay.
 */
export function withLinks(
  source: string,
  file: string,
  toLink: (linked: string) => string,
): string {
  return outsideOfCode(source, (prose) =>
    prose.replaceAll(/\]\(([^()\s]+)\)/g, (link, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return link;
      const [path = "", anchor] = target.split("#");
      const linked = posix.join(posix.dirname(file), path).replace(/\/$/, "");
      return `](${toLink(linked)}${anchor === undefined ? "" : `#${anchor}`})`;
    }),
  );
}

/** Returns the address of a file or folder of the repository. Throws if it does not exist. */
export function repositoryLink(linked: string): string {
  const path = join(root, linked);
  if (!existsSync(path)) throw new Error(`There is no ${linked} to link to`);
  const kind = statSync(path).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${linked}`;
}

/** Returns the link from one file to another. */
export function relativeTo(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

function outsideOfCode(source: string, change: (prose: string) => string): string {
  let result = "";
  let end = 0;
  for (const match of source.matchAll(fence)) {
    result += change(source.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + change(source.slice(end));
}
