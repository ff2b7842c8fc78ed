/** Copies the documents into the package of agents and sessions, where editors and coding agents of its users find them. */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { relativeTo, repositoryLink, withLinks } from "./site/links.ts";

const root = join(import.meta.dirname, "..");

/** Declarations are in the package already, and decisions concern those who change it. */
const isIncluded = (file: string): boolean =>
  /^docs\/.+\.md$/.test(file) && !/^docs\/(?:reference|decisions)\//.test(file);

/** Writes the documents into the folder; links to what is not among them lead to the repository. */
export function copyDocs(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const files = globSync("docs/**/*.md", { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  for (const file of files.filter(isIncluded)) {
    const text = withLinks(readFileSync(join(root, file), "utf8"), file, (linked) =>
      isIncluded(linked) ? relativeTo(file, linked) : repositoryLink(linked),
    );
    const path = join(folder, file.slice("docs/".length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
