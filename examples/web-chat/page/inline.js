/** Markdown inside a line: code, strong, emphasis, links. */
import { element } from "./dom.js";

/** In order of precedence. Groups are named by what they become. */
const marks = new RegExp(
  [
    /(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)/,
    /\\(?<escaped>[\\`*_{}[\]()#+.!|~>-])/,
    /\[(?<label>(?:[^[\]\\]|\\.)+)\]\((?<href>[^()\s]+)\)/,
    /\*\*(?<strong>(?=\S).+?)\*\*(?!\*)/,
    /~~(?<gone>(?=\S).+?)~~/,
    /\*(?<stressed>(?=[^\s*]).*?[^\s*]|[^\s*])\*(?!\*)/,
    /(?<!\w)_(?<underlined>(?=\S).+?)_(?!\w)/,
    /(?<address>https?:\/\/[^\s<>()]*[^\s<>().,;:!?"'])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gs",
);

/**
 * @param {string} text
 * @returns {readonly (string | Node)[]}
 */
export function inline(text) {
  /** @type {(string | Node)[]} */
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    nodes.push(text.slice(end, match.index), nodeOf(match.groups ?? {}, match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}

/**
 * @param {Readonly<Partial<Record<string, string>>>} groups
 * @param {string} source
 * @returns {string | Node}
 */
function nodeOf(groups, source) {
  const { code, escaped, label, href, strong, gone, stressed, underlined, address } = groups;
  if (code !== undefined) return element("code", {}, [code]);
  if (escaped !== undefined) return escaped;
  if (label !== undefined) return link(href ?? "", inline(label), source);
  if (strong !== undefined) return element("strong", {}, inline(strong));
  if (gone !== undefined) return element("s", {}, inline(gone));
  const emphasis = stressed ?? underlined;
  if (emphasis !== undefined) return element("em", {}, inline(emphasis));
  return link(address ?? "", [source], source);
}

/**
 * Links lead to web pages and mail only; an address such as `javascript:` stays text.
 *
 * @param {string} href
 * @param {readonly (string | Node)[]} children
 * @param {string} source
 */
function link(href, children, source) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return source;
  return element("a", { href, target: "_blank", rel: "noopener noreferrer" }, children);
}
