/** Checks the links of built pages. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** Returns `page: link` for each link of a page that leads to no file or to no element of its page. */
export function deadLinks(folder: string, base: string): readonly string[] {
  const pages = globSync("**/*.html", { cwd: folder }).map((path) => path.replaceAll("\\", "/"));
  const read = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));
  const ids = new Map<string, ReadonlySet<string>>();
  const idsOf = (page: string): ReadonlySet<string> => {
    let found = ids.get(page);
    if (found === undefined) {
      const html = read.get(page) ?? "";
      found = new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), (match) => match[1] ?? ""));
      ids.set(page, found);
    }
    return found;
  };
  return pages.flatMap((page) => {
    const targets = Array.from(
      (read.get(page) ?? "").matchAll(/\s(?:href|src)="([^"]*)"/g),
      (match) => (match[1] ?? "").replaceAll("&amp;", "&"),
    );
    return [...new Set(targets)]
      .filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target))
      .filter((target) => {
        const [path = "", hash] = target.split("#");
        const file = path === "" ? page : fileOf(path, page, base);
        if (!existsSync(join(folder, file))) return true;
        return hash !== undefined && hash !== "" && !idsOf(file).has(decodeURIComponent(hash));
      })
      .map((target) => `${page}: ${target}`);
  });
}

/** File of a path of the site. */
function fileOf(path: string, page: string, base: string): string {
  const absolute = path.startsWith("/")
    ? posix.relative(base, decodeURIComponent(path))
    : posix.join(posix.dirname(page), decodeURIComponent(path));
  if (absolute === "" || absolute === "." || path.endsWith("/")) {
    return posix.join(absolute, "index.html");
  }
  return absolute;
}
