/** Extracts the readable text of a page, in one pass: a page may be crafted to take forever. */

/** Elements whose content is not text. */
const silent = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe"]);
const block =
  /^(?:address|article|aside|blockquote|br|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|tr|ul)$/;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  copy: "©",
};

export function htmlToText(html: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    pieces.push(html.slice(at, open));
    const { name, isClosing, end } = tagAt(html, open);
    at = end;
    if (silent.has(name) && !isClosing) at = endOfElement(html, name, end);
    else if (block.test(name)) pieces.push(name === "li" && !isClosing ? "\n- " : "\n");
  }
  pieces.push(html.slice(at));
  return tidy(decode(pieces.join("")));
}

interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly end: number;
}

function tagAt(html: string, open: number): Tag {
  if (html.startsWith("<!--", open)) {
    const end = html.indexOf("-->", open + 4);
    return { name: "", isClosing: false, end: end < 0 ? html.length : end + 3 };
  }
  const [, slash = "", name = ""] =
    /^<(\/?)([a-z][a-z0-9-]*)?/i.exec(html.slice(open, open + 40)) ?? [];
  const end = html.indexOf(">", open);
  return {
    name: name.toLowerCase(),
    isClosing: slash !== "",
    end: end < 0 ? html.length : end + 1,
  };
}

function endOfElement(html: string, name: string, from: number): number {
  let at = from;
  for (;;) {
    const close = html.indexOf("</", at);
    if (close < 0) return html.length;
    const tag = tagAt(html, close);
    if (tag.name === name) return tag.end;
    at = close + 2;
  }
}

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, ten, sixteen, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      const code = ten === undefined ? Number.parseInt(sixteen, 16) : Number(ten);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replaceAll(/[^\S\n]+/g, " ").trim());
  return lines
    .filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "")
    .join("\n")
    .trim();
}
