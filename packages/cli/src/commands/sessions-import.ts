/** `capstan sessions import`: creates a session in this folder from an exported file. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ImportedLog, NamedBlob, SessionRepository, StoredEntry } from "@capstan/log";
import {
  createCopy,
  foldNew,
  fromBase64,
  importLog,
  isRepositoryError,
  LogError,
  newId,
} from "@capstan/log";
import type { Io } from "../process/io.ts";
import { createNotes } from "../print/notes.ts";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import { agentNameOf } from "../session/folder-agent.ts";
import { parseHeader } from "./session-header.ts";

interface Imported {
  readonly id: string | undefined;
  readonly entries: readonly StoredEntry[];
  readonly blobs: readonly NamedBlob[];
  /** Returns the line number of an entry, by its seq. */
  readonly lineOf: (seq: number) => number;
}

/** Throws a `CommandError` that names the file and the line. */
export async function importFrom(
  io: Io,
  store: SessionRepository,
  { file: written, cwd }: { readonly file: string; readonly cwd: string },
): Promise<void> {
  const file = resolve(io.cwd, written);
  const note = createNotes(io);
  const imported = parseFile(file, await readBytes(file));
  const { entries, closedCalls } = toOwn(file, imported, cwd, io.clock.now());
  const head = foldNew(entries).head(io.clock.now());
  const id = await createFree(imported.id, (free) =>
    createCopy(store, { id: free, entries, head, blobs: imported.blobs }),
  );
  if (closedCalls > 0) note(closing(closedCalls));
  note(`to continue: capstan --resume ${id}`);
  io.stdout.write(`${id}\n`);
}

function closing(calls: number): string {
  const which = calls === 1 ? "1 call without a result is" : `${calls} calls without a result are`;
  return `${which} closed as not run: an import never runs calls`;
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw wrongUse(`Cannot read ${file}: ${reasonOf(cause)}.`, cause);
  }
}

function parseFile(file: string, bytes: Uint8Array): Imported {
  const entries: StoredEntry[] = [];
  const blobs: NamedBlob[] = [];
  const lines: number[] = [];
  let header: ReturnType<typeof parseHeader> | undefined;
  for (const { line, text } of linesOf(file, bytes)) {
    const fail = (why: string, cause?: unknown): Error => atLine(file, line, why, cause);
    const value = parseJson(text, fail);
    if (header === undefined) {
      header = parseHeader(value);
      if (typeof header === "string") throw fail(header);
      continue;
    }
    const blob = toBlob(value, fail);
    if (blob !== undefined) {
      blobs.push(blob);
      continue;
    }
    // Folding validates the other fields.
    const entry = value as StoredEntry | null;
    if (entry?.seq !== entries.length + 1) {
      throw fail(`expected the entry with "seq": ${entries.length + 1}`);
    }
    entries.push(entry);
    lines.push(line);
  }
  if (header === undefined || entries.length === 0) {
    throw atLine(file, 1, "this is not the first line of an exported session");
  }
  const id = typeof header === "string" ? undefined : header.id;
  return { id, entries, blobs, lineOf: (seq) => lines[seq - 1] ?? 1 };
}

/** Splits by bytes: a text may contain other characters that count as line breaks. */
function* linesOf(
  file: string,
  bytes: Uint8Array,
): Generator<{ readonly line: number; readonly text: string }> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(10, start);
    const end = found === -1 ? bytes.length : found;
    let text: string;
    try {
      text = decoder.decode(bytes.subarray(start, end));
    } catch (cause) {
      throw atLine(file, line, "invalid UTF-8", cause);
    }
    if (text.trim() !== "") yield { line, text };
    start = end + 1;
  }
}

type Fail = (why: string, cause?: unknown) => Error;

function parseJson(text: string, fail: Fail): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail(`invalid JSON (${reasonOf(cause)})`, cause);
  }
}

function toBlob(value: unknown, fail: Fail): NamedBlob | undefined {
  const { blob, data } = (value ?? {}) as { readonly blob?: unknown; readonly data?: unknown };
  if (typeof blob !== "string") return undefined;
  if (typeof data !== "string") throw fail(`the blob "${blob}" has no "data"`);
  try {
    return { blob, bytes: fromBase64(data) };
  } catch (cause) {
    throw fail(`the data of the blob "${blob}" is not Base64`, cause);
  }
}

/** Turns the log into one of this folder: keeps the conversation, drops everything that would act. */
function toOwn(
  file: string,
  { entries, blobs, lineOf }: Imported,
  cwd: string,
  now: number,
): ImportedLog {
  const origin = { agent: agentNameOf(cwd), principal: cwd, metadata: { cwd } };
  try {
    return importLog(entries, {
      origin,
      incarnation: newId(),
      now,
      blobs: blobs.map(({ blob }) => blob),
    });
  } catch (thrown) {
    if (!(thrown instanceof LogError)) throw thrown;
    throw atLine(file, lineOf(thrown.seq), thrown.message, thrown);
  }
}

/** Uses the original id if it is valid and free, else a new one. */
async function createFree(
  wanted: string | undefined,
  create: (id: string) => Promise<void>,
): Promise<string> {
  const fresh = newId();
  const first = wanted !== undefined && /^[\w-]{1,64}$/.test(wanted) ? wanted : fresh;
  try {
    await create(first);
    return first;
  } catch (thrown) {
    if (!isRepositoryError(thrown)) throw thrown;
    if (thrown.code !== "exists") throw failed(`Cannot store the session. ${thrown.message}.`);
    await create(fresh);
    return fresh;
  }
}

function atLine(file: string, line: number, why: string, cause?: unknown): Error {
  return wrongUse(`${file}:${line}: ${why}.`, cause);
}
