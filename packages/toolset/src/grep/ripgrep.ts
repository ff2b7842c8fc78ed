/** The search by ripgrep, where its package has a binary for this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { FileError } from "../files/file-error.ts";
import { Folder } from "../files/folder.ts";
import type { FoundLine, Search, SearchEngine } from "./search.ts";
import { maxSearchedBytes } from "./search.ts";

/** Where the binary is; undefined if there is none for this machine. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    // Without a binary for this machine, or bundled without it: there is the search in Node.
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
    // It starts in the folder that was opened, wherever the path leads by now.
    cwd: folder.here,
    stdio: ["ignore", "pipe", "pipe"],
    signal: search.signal,
    killSignal: "SIGKILL",
  });
  // Its failure is told by `once`; without a listener it would end the process.
  child.on("error", () => {});
  const ended = once(child, "close");
  const problem = textOf(child.stderr);
  // Whoever stops early has no use for them.
  for (const unread of [ended, problem]) unread.catch(() => {});
  try {
    // Nothing is awaited before: what a child wrote is thrown away if it ends before somebody reads.
    for await (const line of createInterface({ input: child.stdout })) {
      const found = toFoundLine(line);
      if (found === undefined || !search.includes(found.path)) continue;
      await folder.confirm(search.path);
      yield found;
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

/** One line of its JSON: https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html. */
interface Printed {
  readonly type: string;
  readonly data: {
    readonly path?: Printable;
    readonly lines?: Printable;
    readonly line_number?: number;
  };
}

/** Bytes, in base64, where they are no UTF-8. */
type Printable = { readonly text: string } | { readonly bytes: string };

function toFoundLine(line: string): FoundLine | undefined {
  // What it prints is its own, and documented.
  const { type, data } = JSON.parse(line) as Printed;
  if (type !== "match" && type !== "context") return undefined;
  if (data.path === undefined || data.lines === undefined) return undefined;
  return {
    path: toText(data.path).replaceAll("\\", "/").replace(/^\.\//, ""),
    line: data.line_number ?? 0,
    text: toText(data.lines).replace(/\r?\n$/, ""),
    isMatch: type === "match",
  };
}

function toText(value: Printable): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = await stream.toArray();
  return Buffer.concat(chunks).toString("utf8");
}

async function requireSuccess(
  ended: Promise<unknown[]>,
  problem: Promise<string>,
  { pattern }: Search,
): Promise<void> {
  // 0: found, 1: nothing found, 2: something went wrong; files that cannot be read are not told about.
  const [code] = await ended;
  const text = (await problem).trim();
  if (code !== 2 || text === "") return;
  throw new FileError(
    "invalid_pattern",
    `${pattern} cannot be searched for. Set literal to true if it is meant as it is.\n${text}`,
  );
}
