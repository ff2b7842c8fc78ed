/** Describes the results of `ls` and `read` in plain sentences. */

interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link";
}

/** In order of preference. */
const tellingNames = [
  "README.md",
  "README",
  "readme.md",
  "package.json",
  "AGENTS.md",
  "pyproject.toml",
  "Cargo.toml",
  "go.mod",
  "Makefile",
];

const maxTellingFiles = 2;
const maxNames = 12;
const maxLines = 5;
const maxSentenceLength = 200;

/** Names of the listed files that reveal most about the folder. */
export function tellingFilesOf(listing: string): readonly string[] {
  const { entries } = parseListing(listing);
  const files = new Set(entries.filter(({ kind }) => kind !== "folder").map(({ name }) => name));
  return tellingNames.filter((name) => files.has(name)).slice(0, maxTellingFiles);
}

export function describeFolder(folder: string, listing: string): string {
  const { entries, isPart } = parseListing(listing);
  const subject = folder === "this folder" ? "This folder" : folder;
  if (entries.length === 0) return `${subject} is empty.`;
  const counts = [
    countOf(entries, "folder", "folders"),
    countOf(entries, "file", "files"),
    countOf(entries, "link", "symbolic links"),
  ].filter((count) => count !== "");
  const names = entries
    .slice(0, maxNames)
    .map(({ name, kind }) => name + (kind === "folder" ? "/" : ""));
  const rest = entries.length - names.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `${subject} contains ${isPart ? "at least " : ""}${counts.join(", ")}: ${names.join(", ")}${more}.`;
}

export function describeFile(path: string, output: string): string {
  const { lines, isPart } = parseContent(output);
  if (lines.length === 0) return `${path} is empty.`;
  const count = `${isPart ? "at least " : ""}${lines.length} ${lines.length === 1 ? "line" : "lines"}`;
  const beginning = lines.slice(0, maxLines).map((line) => `    ${shorten(line)}`);
  return [`${path} has ${count}. It begins:`, "", ...beginning].join("\n");
}

/** One sentence about a file that tells something about its folder. */
export function describeTellingFile(path: string, output: string): string {
  const { lines } = parseContent(output);
  if (path.endsWith("package.json")) return describePackage(path, lines.join("\n"));
  const title = lines.find((line) => /^#+\s+\S/.test(line))?.replace(/^#+\s+/, "");
  const sentence = firstSentence(lines);
  if (title === undefined && sentence === undefined) return `${path} has nothing to quote.`;
  if (title === undefined) return `${path} begins: ${sentence}`;
  return `${path} is titled "${shorten(title)}"${sentence === undefined ? "." : ` and begins: ${sentence}`}`;
}

function parseListing(listing: string): { entries: readonly Entry[]; isPart: boolean } {
  const lines = listing.split("\n").filter((line) => line.trim() !== "");
  // Notes are in parentheses; a name that begins like one is quoted.
  const notes = lines.filter((line) => line.startsWith("("));
  const entries = lines.filter((line) => !line.startsWith("(")).map(toEntry);
  return { entries, isPart: entries.length > 0 && notes.length > 0 };
}

function toEntry(line: string): Entry {
  const [, quoted, rest = ""] = /^("(?:[^"\\]|\\.)*")(.*)$/.exec(line) ?? [];
  if (quoted !== undefined) return { name: quoted, kind: kindOf(rest) };
  const name = line.replace(/( -> .*|  \S.*)$/, "");
  return { name: name.replace(/\/$/, ""), kind: kindOf(line) };
}

function kindOf(line: string): Entry["kind"] {
  if (line.endsWith("/")) return line.includes(" -> ") ? "link" : "folder";
  return line.includes(" -> ") ? "link" : "file";
}

function countOf(entries: readonly Entry[], kind: Entry["kind"], plural: string): string {
  const count = entries.filter((entry) => entry.kind === kind).length;
  return count === 0 ? "" : `${count} ${count === 1 ? plural.slice(0, -1) : plural}`;
}

function parseContent(output: string): { lines: readonly string[]; isPart: boolean } {
  if (output === "" || output === "(The file is empty.)") return { lines: [], isPart: false };
  const lines = output.replace(/\r?\n$/, "").split(/\r?\n/);
  const isPart = /^\(.*continue with offset \d+\.\)$/.test(lines.at(-1) ?? "");
  return { lines: withoutNumbers(isPart ? lines.slice(0, -1) : lines), isPart };
}

/** Takes off the numbers that `read` adds; other tools may add none. */
function withoutNumbers(lines: readonly string[]): readonly string[] {
  if (!lines.every((line) => /^\d+\t/.test(line))) return lines;
  return lines.map((line) => line.replace(/^\d+\t/, ""));
}

function describePackage(path: string, json: string): string {
  const { name, version, description } = parseManifest(json);
  if (name === undefined) return `${path} names no package.`;
  const about = description === undefined ? "." : `: ${shorten(description)}`;
  return `${path} names the package ${name}${version === undefined ? "" : `, version ${version}`}${about}`;
}

function parseManifest(json: string): Partial<Record<"name" | "version" | "description", string>> {
  try {
    const manifest: unknown = JSON.parse(json);
    if (typeof manifest !== "object" || manifest === null) return {};
    const entries = Object.entries(manifest).filter(([, value]) => typeof value === "string");
    return Object.fromEntries(entries);
  } catch {
    // Truncated, or not JSON: no names in it.
    return {};
  }
}

/** First sentence of the first paragraph of prose: no heading, markup, image or code. */
function firstSentence(lines: readonly string[]): string | undefined {
  const start = lines.findIndex(isProse);
  if (start < 0) return undefined;
  const end = lines.findIndex((line, index) => index > start && line.trim() === "");
  const paragraph = lines
    .slice(start, end < 0 ? undefined : end)
    .join(" ")
    .replace(/\s+/g, " ");
  return shorten(/^.*?[.!?](?=\s|$)/u.exec(paragraph)?.[0] ?? paragraph);
}

function isProse(line: string): boolean {
  return /^[\p{L}\p{N}"'*_`([]/u.test(line) && !/^(\[!\[|```|\[.*\]:)/.test(line);
}

function shorten(text: string): string {
  return text.length > maxSentenceLength ? `${text.slice(0, maxSentenceLength)}…` : text;
}
