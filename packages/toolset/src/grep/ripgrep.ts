/** Searches with ripgrep, if its package has a binary for this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, dirname, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { FileError } from "../files/file-error.ts";
import { Folder } from "../files/folder.ts";
import { ConfirmedLines } from "./confirmed-lines.ts";
import type { FoundLine, Search, SearchEngine } from "./search.ts";
import { maxSearchedBytes } from "./search.ts";

/** Finds the ripgrep binary. Path of the binary; undefined if there is none for this machine. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    // No binary for this machine, or bundled without it: the search in Node is used.
    return undefined;
  }
}

export function ripgrepEngine(binary: string): SearchEngine {
  return (search) => searchWith(binary, search);
}

async function* searchWith(binary: string, search: Search): AsyncGenerator<FoundLine> {
  const start = search.isFile ? dirname(search.real) : search.real;
  const folder = await Folder.open(start, search.path);
  const child = spawn(binary, argumentsOf(search), {
    // Starts in the folder that was opened, wherever the path leads by now.
    cwd: folder.here,
    stdio: ["ignore", "pipe", "pipe"],
    signal: search.signal,
    killSignal: "SIGKILL",
  });
  // `once` reports the failure; without a listener the error would end the process.
  child.on("error", () => {});
  const ended = once(child, "close");
  const problem = textOf(child.stderr);
  // A consumer that stops early does not need them.
  for (const unread of [ended, problem]) unread.catch(() => {});
  const confirmed = new ConfirmedLines(folder);
  try {
    // Awaits nothing before this: the child's output is lost if it exits before it is read.
    for await (const line of createInterface({ input: child.stdout })) {
      const printed = toPrintedLine(line);
      if (printed === undefined || !search.includes(printed.found.path)) continue;
      const { found, bytes } = printed;
      if (await confirmed.has(found.path, found.line, bytes)) yield found;
    }
    search.signal.throwIfAborted();
    await requireSuccess(ended, problem, search);
  } finally {
    child.kill("SIGKILL");
    await folder.close();
  }
}

function argumentsOf(search: Search): readonly string[] {
  return [
    "--json",
    "--no-config",
    "--hidden",
    "--glob=!.git",
    ...(search.ignored ? ["--no-ignore"] : ["--no-ignore-dot", "--no-ignore-global"]),
    "--no-ignore-exclude",
    "--no-require-git",
    "--no-messages",
    "--crlf",
    "--sort=path",
    `--max-filesize=${maxSearchedBytes}`,
    `--context=${search.context}`,
    ...(search.literal ? ["--fixed-strings"] : ["--engine=auto"]),
    ...(search.ignoreCase ? ["--ignore-case"] : []),
    `--regexp=${search.pattern}`,
    "--",
    search.isFile ? `./${basename(search.real)}` : "./",
  ];
}

/** One line of ripgrep's JSON: https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html. */
interface Printed {
  readonly type: string;
  readonly data: {
    readonly path?: Printable;
    readonly lines?: Printable;
    readonly line_number?: number;
  };
}

/** Base64 bytes if the text is not valid UTF-8. */
type Printable = { readonly text: string } | { readonly bytes: string };

interface PrintedLine {
  readonly found: FoundLine;
  /** The line as it is in the file. */
  readonly bytes: Buffer;
}

function toPrintedLine(line: string): PrintedLine | undefined {
  // The format is documented.
  const { type, data } = JSON.parse(line) as Printed;
  if (type !== "match" && type !== "context") return undefined;
  if (data.path === undefined || data.lines === undefined) return undefined;
  const bytes = toBytes(data.lines);
  const written = toBytes(data.path).toString("utf8");
  const path = written.replaceAll(sep, "/").replace(/^\.\//, "");
  const text = bytes.toString("utf8").replace(/\r?\n$/, "");
  return { found: { path, line: data.line_number ?? 0, text, isMatch: type === "match" }, bytes };
}

function toBytes(value: Printable): Buffer {
  return "text" in value ? Buffer.from(value.text) : Buffer.from(value.bytes, "base64");
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  // Not `toArray`: streams of processes have none on Bun 1.4.
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

async function requireSuccess(
  ended: Promise<unknown[]>,
  problem: Promise<string>,
  { pattern }: Search,
): Promise<void> {
  // 0: found, 1: nothing found, 2: error; unreadable files are not reported.
  const [code] = await ended;
  const text = (await problem).trim();
  if (code !== 2 || text === "") return;
  throw new FileError(
    "invalid_pattern",
    `${pattern} is not a valid regular expression. Set literal to true to search for it as plain text.\n${text}`,
  );
}
