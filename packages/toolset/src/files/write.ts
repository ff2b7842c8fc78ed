/** `write`: writes a whole file, new or replacing another. */
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { join } from "node:path";
import { z } from "zod";
import type { Encoding } from "./encoding.ts";
import { encodeText } from "./encoding.ts";
import { versionOf } from "./file-version.ts";
import type { SeenFile } from "./seen-files.ts";
import { mustBeSeen, rememberText, seenAs } from "./seen-files.ts";
import type { TextFile } from "./text-file.ts";
import { unixLines } from "./unix-lines.ts";
import { FileError, toToolOutput } from "./file-error.ts";
import { inFolder } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { filePath } from "./path-input.ts";
import { enterFolderOf, replaceFile, statTarget } from "./replace-file.ts";
import { readTextIn } from "./text-file.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { locateTarget, openWorkspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Details of a `write` result, for user interfaces. */
export interface WriteDetails {
  readonly path: string;
  readonly seen: SeenFile;
  readonly isNew: boolean;
  /** Unified diff. Absent if the previous file was not text, or too large. */
  readonly diff?: string;
}

const input = z.strictObject({
  path: filePath("File to write"),
  content: z.string().describe("The complete new content."),
});

/**
 * Creates the tool that writes files. Atomic: the file has the old content or the new one, whenever the process
 * dies. `idempotent`, because a second run has the same result as the first. Throws only on abort.
 */
export function writeTool(options: WorkspaceOptions = {}): NamedTool<"write"> {
  return defineTool({
    name: "write",
    label: "Write a file",
    description:
      "Writes a file: creates it, with missing folders, or replaces all of its content. A file that exists must have been read before. To change part of a file use edit.",
    input,
    effect: "idempotent",
    // The order of calls may matter: a file is written, then edited.
    execution: "sequential",
    execute: (wanted, context) => toToolOutput(() => write(wanted, context, options)),
  });
}

async function write(
  { path, content }: z.output<typeof input>,
  { cwd, signal, messages }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<WriteDetails>> {
  signal.throwIfAborted();
  const target = await locateTarget(await openWorkspace(options, cwd), path);
  return inFolder(enterFolderOf(target, path), async (folder) => {
    const before = await statTarget(folder, target.name, path);
    const file = join(folder.real, target.name);
    const old = before === undefined ? undefined : await fileBefore(folder, target.name, path);
    if (old !== undefined) {
      mustBeSeen(messages, { seen: seenAs(file, old.version), text: old.text }, path);
    }
    signal.throwIfAborted();
    const { text, encoding, isWindows } = asBefore(content, old);
    const bytes = encodeText(text, encoding, path);
    await replaceFile(folder, target.name, bytes, { before, path });
    const version = versionOf(bytes);
    rememberText(version, text);
    const isNew = before === undefined;
    const lines = content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
    const kept = [isWindows && "line ends \\r\\n", encoding !== "utf-8" && `encoding ${encoding}`];
    const notes = kept.filter((note) => note !== false).map((note) => `, ${note} kept`);
    return ok(
      `${isNew ? "Created" : "Replaced"} ${path} (${lines === 1 ? "1 line" : `${lines} lines`}${notes.join("")}).`,
      {
        path,
        seen: seenAs(file, version),
        isNew,
        ...((isNew || old?.text !== undefined) && {
          diff: unifiedDiff(path, old?.text ?? "", text),
        }),
      },
    );
  });
}

/** Content in the form of the file that it replaces: the model writes neither `\r` nor byte order marks. */
function asBefore(
  content: string,
  old: FileBefore | undefined,
): { readonly text: string; readonly encoding: Encoding; readonly isWindows: boolean } {
  if (old?.text === undefined) return { text: content, encoding: "utf-8", isWindows: false };
  const lines = unixLines(old.text);
  const isWindows = lines.toOriginalEnds("\n") === "\r\n" && !content.includes("\r");
  const body = isWindows ? lines.toOriginalEnds(content) : content;
  const mark = content.startsWith("\ufeff") ? "" : lines.mark;
  return { text: `${mark}${body}`, encoding: old.encoding, isWindows };
}

/** The file that is replaced. */
interface FileBefore extends Omit<TextFile, "text"> {
  /** Undefined if it is not text, or too large. */
  readonly text: string | undefined;
}

async function fileBefore(folder: Folder, name: string, path: string): Promise<FileBefore> {
  try {
    return await readTextIn(folder, name, path);
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    // It can be replaced all the same, only without a diff. The model cannot have read it.
    return { text: undefined, encoding: "utf-8", version: "" };
  }
}
