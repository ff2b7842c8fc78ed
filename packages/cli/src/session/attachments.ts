/** Files that go along with a prompt: `@path` in its text, and `--attach`. */
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { UserPart } from "@capstan/kernel";
import { reasonOf, wrongUse } from "../errors/command-error.ts";
import { wayInside } from "../permissions/way-inside.ts";
import type { Note } from "../print/notes.ts";
import type { Folder } from "./load-folder.ts";

/** Images and PDF files, by their first bytes as Latin-1. */
const kinds = [
  { type: "image", mediaType: "image/png", start: /^\x89PNG/ },
  { type: "image", mediaType: "image/jpeg", start: /^\xff\xd8\xff/ },
  { type: "image", mediaType: "image/gif", start: /^GIF8/ },
  { type: "image", mediaType: "image/webp", start: /^RIFF[^]{4}WEBP/ },
  { type: "document", mediaType: "application/pdf", start: /^%PDF/ },
] as const;

/** Larger text does not fit the context of most models. */
const maxTextBytes = 512 * 1024;
/** The least of what vendors accept for one image. */
const maxMediaBytes = 5 * 1024 * 1024;
const maxFiles = 20;

interface AttachmentRequest {
  /** Text of the command line, never piped input: that may come from elsewhere. */
  readonly prompt: string | undefined;
  /** Paths given with `--attach`. */
  readonly attach: readonly string[];
}

/** Returns a part for each file, in order. Throws a `CommandError` that names the file. */
export async function readAttachments(
  { prompt = "", attach }: AttachmentRequest,
  folder: Folder,
  note: Note,
): Promise<readonly UserPart[]> {
  const mentioned = await Promise.all(mentionsIn(prompt).map((path) => find(path, folder, note)));
  const named = attach.map((written) => ({ written, path: resolve(folder.cwd, written) }));
  const files = [...mentioned.filter((found) => found !== undefined), ...named];
  const unique = [...new Map(files.map((file) => [file.path, file])).values()];
  if (unique.length > maxFiles) {
    throw wrongUse(`${unique.length} files are attached, and at most ${maxFiles} can be.`);
  }
  return Promise.all(unique.map(readAttachment));
}

interface Attached {
  /** As the user wrote it. */
  readonly written: string;
  readonly path: string;
}

/** Words that start with @. */
function mentionsIn(prompt: string): readonly string[] {
  return Array.from(prompt.matchAll(/(?<=^|\s)@(\S+)/g), ([, path = ""]) => path);
}

/** Undefined if it is not a file of the project: then it is text like any other. */
async function find(written: string, folder: Folder, note: Note): Promise<Attached | undefined> {
  // A sentence may end after a path.
  for (const candidate of [written, written.replace(/[.,;:!?)\]}'"]+$/, "")]) {
    const path = await realFile(resolve(folder.cwd, candidate));
    if (path === undefined) continue;
    const roots = [folder.cwd, folder.config.projectFolder, ...folder.config.settings.roots];
    if (roots.some((root) => wayInside(root, path) !== undefined)) {
      return { written: candidate, path };
    }
    note(`@${candidate} is outside the project and was not attached: use --attach ${candidate}`);
    return undefined;
  }
  return undefined;
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    // Missing, not accessible, or not a path at all.
    return undefined;
  }
}

/** Throws a `CommandError` that names the file. */
export async function readAttachment({ written, path }: Attached): Promise<UserPart> {
  const fail = (why: string, cause?: unknown): Error =>
    wrongUse(`Cannot attach ${written}: ${why}.`, cause);
  const bytes = await readBytes(path, fail);
  const start = bytes.toString("latin1", 0, 12);
  const kind = kinds.find((one) => one.start.test(start));
  if (kind !== undefined) {
    const data = bytes.toString("base64");
    return kind.type === "image"
      ? { type: kind.type, mediaType: kind.mediaType, data }
      : { type: kind.type, mediaType: kind.mediaType, data, name: basename(written) };
  }
  if (bytes.length > maxTextBytes) {
    throw fail(`it is larger than ${maxTextBytes / 1024} KB; name it in the prompt without @`);
  }
  const text = toText(bytes);
  if (text === undefined) throw fail("it is neither UTF-8 text nor PNG, JPEG, GIF, WebP or PDF");
  const end = text.endsWith("\n") ? "" : "\n";
  return { type: "text", text: `<file path=${JSON.stringify(written)}>\n${text}${end}</file>` };
}

async function readBytes(
  path: string,
  fail: (why: string, cause?: unknown) => Error,
): Promise<Buffer> {
  let size: number;
  try {
    const stats = await stat(path);
    // Reading a pipe or a device might never end.
    if (!stats.isFile()) throw new Error("it is not a regular file");
    ({ size } = stats);
  } catch (cause) {
    throw fail(reasonOf(cause), cause);
  }
  if (size > maxMediaBytes) throw fail(`it is larger than ${maxMediaBytes / 1024 / 1024} MB`);
  return readFile(path).catch((cause: unknown) => {
    throw fail(reasonOf(cause), cause);
  });
}

function toText(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    // Decoders throw for invalid UTF-8 only.
    return undefined;
  }
}
