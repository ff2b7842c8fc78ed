/** Markdown as elements. It makes text nodes and a fixed set of elements, so no reply can add HTML or scripts to the page. */
import { element } from "./dom.js";
import { inline } from "./inline.js";

/**
 * @typedef {{ readonly kind: "code" | "heading" | "table" | "list" | "quote" | "rule" | "paragraph", readonly lines: readonly string[] }} Block
 */

/** @type {WeakMap<Element, string>} */
const sources = new WeakMap();

/**
 * Shows a text that may still grow. Blocks that have not changed keep their elements.
 *
 * @param {HTMLElement} container
 * @param {string} text
 */
export function showMarkdown(container, text) {
  const blocks = blocksOf(text.split("\n"));
  blocks.forEach((block, index) => {
    const source = `${block.kind}\n${block.lines.join("\n")}`;
    const there = container.children[index];
    if (there !== undefined && sources.get(there) === source) return;
    const made = toElement(block);
    sources.set(made, source);
    if (there === undefined) container.append(made);
    else there.replaceWith(made);
  });
  while (container.children.length > blocks.length) container.lastElementChild?.remove();
}

const fence = /^ {0,3}(`{3,}|~{3,})/;
const item = /^( *)([-*+]|\d{1,9}[.)]) +/;

/** @type {readonly (readonly [Block["kind"], (line: string, next: string) => boolean])[]} */
const starts = [
  ["code", (line) => fence.test(line)],
  ["heading", (line) => /^#{1,6} /.test(line)],
  ["rule", (line) => /^ {0,3}([-*_])( *\1){2,} *$/.test(line)],
  ["quote", (line) => /^ {0,3}>/.test(line)],
  ["list", (line) => item.test(line)],
  ["table", (line, next) => line.includes("|") && /^[ |:-]*-[ |:-]*\|[ |:-]*$/.test(next)],
];

/**
 * @param {readonly string[]} lines
 * @returns {readonly Block[]}
 */
function blocksOf(lines) {
  /** @type {Block[]} */
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const kind = kindAt(lines, at);
    const end = endOf(kind, lines, at);
    blocks.push({ kind, lines: lines.slice(at, end) });
    at = end;
  }
  return blocks;
}

/**
 * @param {readonly string[]} lines
 * @param {number} at
 */
function kindAt(lines, at) {
  const [line = "", next = ""] = lines.slice(at, at + 2);
  return starts.find(([, isStart]) => isStart(line, next))?.[0] ?? "paragraph";
}

/**
 * @param {Block["kind"]} kind
 * @param {readonly string[]} lines
 * @param {number} from
 * @returns {number}
 */
function endOf(kind, lines, from) {
  const isEnd = isEndOf(kind, lines, from);
  const found = lines.findIndex((_, index) => index > from && isEnd(index));
  const end = found < 0 ? lines.length : found;
  return kind === "code" ? Math.min(end + 1, lines.length) : end;
}

/**
 * @param {Block["kind"]} kind
 * @param {readonly string[]} lines
 * @param {number} from
 * @returns {(index: number) => boolean}
 */
function isEndOf(kind, lines, from) {
  const line = (/** @type {number} */ index) => lines[index] ?? "";
  switch (kind) {
    case "heading":
    case "rule":
      return () => true;
    case "code": {
      const mark = fence.exec(line(from))?.[1] ?? "```";
      return (index) => line(index).trim().startsWith(mark);
    }
    case "list":
      return (index) => {
        if (isBlank(line(index))) return !/^ {2}|^ *([-*+]|\d+[.)]) /.test(line(index + 1));
        return !/^ {2}/.test(line(index)) && kindAt(lines, index) !== "list";
      };
    case "quote":
    case "table":
      return (index) => isBlank(line(index)) || kindAt(lines, index) === "heading";
    default:
      return (index) => isBlank(line(index)) || kindAt(lines, index) !== "paragraph";
  }
}

/**
 * @param {Block} block
 * @returns {HTMLElement}
 */
function toElement({ kind, lines }) {
  const [first = "", ...rest] = lines;
  switch (kind) {
    case "code":
      return codeOf(first, rest);
    case "heading": {
      // The page has an h1 and the messages have h2 at most.
      const level = Math.min(6, 1 + (/^#+/.exec(first)?.[0].length ?? 1));
      const name = /** @type {"h2" | "h3" | "h4" | "h5" | "h6"} */ (`h${level}`);
      return element(name, {}, inline(first.replace(/^#+ +/, "")));
    }
    case "rule":
      return element("hr");
    case "quote":
      return within(
        element("blockquote"),
        lines.map((line) => line.replace(/^ {0,3}> ?/, "")),
      );
    case "list":
      return listOf(lines);
    case "table":
      return tableOf(lines);
    default:
      return element("p", {}, inline(lines.join("\n")));
  }
}

/**
 * @param {HTMLElement} container
 * @param {readonly string[]} lines
 */
function within(container, lines) {
  container.append(...blocksOf(lines).map(toElement));
  return container;
}

/**
 * @param {string} first
 * @param {readonly string[]} rest
 */
function codeOf(first, rest) {
  const mark = fence.exec(first)?.[1] ?? "```";
  const language = first.trim().slice(mark.length).trim();
  const isClosed = rest.at(-1)?.trim().startsWith(mark) === true;
  const text = (isClosed ? rest.slice(0, -1) : rest).join("\n");
  const label = language === "" ? "Code" : `Code, ${language}`;
  const code = element("code", {}, [text]);
  return element("pre", { tabindex: "0", role: "region", "aria-label": label }, [code]);
}

/** @param {readonly string[]} lines */
function listOf(lines) {
  const isOrdered = /^ *\d/.test(lines[0] ?? "");
  const list = element(isOrdered ? "ol" : "ul");
  const start = /^ *(\d+)/.exec(lines[0] ?? "")?.[1];
  if (start !== undefined && start !== "1") list.setAttribute("start", start);
  /** @type {string[][]} */
  const items = [];
  const depth = item.exec(lines[0] ?? "")?.[1]?.length ?? 0;
  for (const line of lines) {
    const found = item.exec(line);
    const open = items.at(-1);
    if (found !== null && (found[1]?.length ?? 0) <= depth + 1) {
      items.push([line.slice(found[0].length)]);
    } else open?.push(line.replace(/^ {1,4}/, ""));
  }
  list.append(...items.map(itemOf));
  return list;
}

/** @param {readonly string[]} lines */
function itemOf(lines) {
  const made = within(element("li"), lines);
  const only = made.firstElementChild;
  // A paragraph in each item of a short list would set the items far apart.
  if (only instanceof HTMLParagraphElement) only.replaceWith(...only.childNodes);
  return made;
}

/** @param {readonly string[]} lines */
function tableOf(lines) {
  const [head = [], , ...rows] = lines.map(cellsOf);
  const header = element(
    "tr",
    {},
    head.map((cell) => element("th", { scope: "col" }, inline(cell))),
  );
  const body = rows.map((cells) =>
    element(
      "tr",
      {},
      head.map((_, column) => element("td", {}, inline(cells[column] ?? ""))),
    ),
  );
  const table = element("table", {}, [element("thead", {}, [header]), element("tbody", {}, body)]);
  const attributes = { class: "table", tabindex: "0", role: "region", "aria-label": "Table" };
  return element("div", attributes, [table]);
}

/** @param {string} line */
function cellsOf(line) {
  const inside = line.trim().replace(/^\||\|$/g, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** @param {string | undefined} line */
function isBlank(line) {
  return line === undefined || line.trim() === "";
}
