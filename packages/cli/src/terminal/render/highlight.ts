/** Colours of code, once the highlighter is loaded. */
import { createRequire } from "node:module";
import type { Role, Theme } from "./theme.ts";

/** Returns the code in colours, or as it is if its language is unknown. */
export type Highlight = (code: string, language: string | undefined) => string;

/** Roles of the highlighter's classes. Others are not coloured. */
const roles: Readonly<Record<string, Role>> = {
  keyword: "keyword",
  literal: "keyword",
  built_in: "title",
  type: "title",
  string: "string",
  regexp: "string",
  number: "number",
  comment: "comment",
  title: "title",
  attr: "title",
  attribute: "title",
  name: "keyword",
  tag: "keyword",
  meta: "comment",
  addition: "added",
  deletion: "removed",
  variable: "code",
  property: "code",
};

interface Highlighter {
  getLanguage(name: string): unknown;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
  registerLanguage(name: string, language: unknown): void;
}

/** The languages of most answers. */
const languages = [
  ...["bash", "css", "diff", "go", "javascript"],
  ...["json", "python", "rust", "typescript", "xml"],
];

/** Loads the highlighter with its languages. Not by `import`: its types bring those of browsers along, for the whole program. */
export function loadHighlighter(): Highlighter {
  const require = createRequire(import.meta.url);
  const core = require("highlight.js/lib/core") as Highlighter;
  for (const name of languages) {
    core.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));
  }
  return core;
}

export function createHighlight(
  theme: Theme,
  highlighter: () => Highlighter | undefined,
): Highlight {
  return (code, language) => {
    const loaded = highlighter();
    if (loaded === undefined || language === undefined) return code;
    if (loaded.getLanguage(language) === undefined) return code;
    const { value } = loaded.highlight(code, { language, ignoreIllegals: true });
    return toColours(value, theme);
  };
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#x27": "'",
};

/** The highlighter writes HTML. A span that crosses lines is coloured on each of them, as lines are drawn one by one. */
function toColours(html: string, theme: Theme): string {
  const open: (Role | undefined)[] = [];
  const paint = (text: string): string => {
    const role = open.findLast((one) => one !== undefined);
    const plain = text.replaceAll(
      /&(amp|lt|gt|quot|#x27);/g,
      (_, name: string) => entities[name] ?? "",
    );
    if (role === undefined) return plain;
    return plain.split("\n").map(theme[role]).join("\n");
  };
  return html.replaceAll(/<span class="hljs-([\w ]+)">|<\/span>|[^<]+/g, (part, name?: string) => {
    if (name !== undefined) {
      const [first = ""] = name.split(" ");
      open.push(roles[first]);
      return "";
    }
    if (part !== "</span>") return paint(part);
    open.pop();
    return "";
  });
}
