/** Makes the sidebar of the site from its pages. */
import type { Page } from "./content.ts";

interface Link {
  readonly text: string;
  readonly link: string;
}

interface Group {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: readonly Link[];
}

/** Groups in their order: pages by name, or all pages of a folder. The first that takes a page has it. */
const groups: readonly (Omit<Group, "items"> & { readonly takes: RegExp })[] = [
  { text: "Start", takes: /^(?:overview\.md$|start\/)/ },
  { text: "Guide", takes: /^guide\// },
  { text: "Cookbook", takes: /^cookbook\// },
  { text: "Coming from", takes: /^coming-from\//, collapsed: true },
  { text: "The command", takes: /^(?:terminal|configuration|permissions|coding-tools)\.md$/ },
  { text: "Understand", takes: /^[^/]+$/ },
  { text: "Specifications", takes: /^specs\//, collapsed: true },
  { text: "Reference", takes: /^reference\//, collapsed: true },
  { text: "Decisions", takes: /^decisions\//, collapsed: true },
];

/** Returns the groups that have pages. A page of a folder that no group names is in a group named like the folder. */
export function sidebarOf(pages: readonly Page[]): Group[] {
  const left = new Set(pages.filter(({ path }) => path !== "index.md"));
  const named = groups.map(({ takes, ...group }) => {
    const taken = [...left].filter(({ path }) => takes.test(path));
    for (const page of taken) left.delete(page);
    return { ...group, items: toLinks(taken) };
  });
  const others = Object.entries(Object.groupBy(left, ({ path }) => path.split("/")[0] ?? "")).map(
    ([folder, rest = []]) => ({ text: folder, items: toLinks(rest) }),
  );
  return [...named, ...others].filter(({ items }) => items.length > 0);
}

/** The page of a folder comes before its others, which are in the order in which it links to them. */
function toLinks(pages: readonly Page[]): readonly Link[] {
  const index = pages.find(({ path }) => path.endsWith("index.md"));
  const rank = ({ path }: Page): number => {
    const at = index?.text.indexOf(`(./${path.split("/").at(-1)}`) ?? -1;
    return at === -1 ? Infinity : at;
  };
  const sorted = pages.toSorted((a, b) => {
    if (a === index) return -1;
    return b === index ? 1 : compare(rank(a), rank(b));
  });
  return sorted.map(({ path, title }) => ({
    text: title,
    link: `/${path.replace(/(?:index)?\.md$/, "")}`,
  }));
}

/** The difference of two infinities is no number. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
