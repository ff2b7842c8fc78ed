/** `write`: writes a whole file, new or replacing another. */
import type { AnyTool, ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { FileError, toToolOutput } from "./file-error.ts";
import { inFolder } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { filePath } from "./path-input.ts";
import { enterFolderOf, replaceFile, statTarget } from "./replace-file.ts";
import { readTextIn } from "./text-file.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { locateTarget, openWorkspace } from "./workspace.ts";
import type { WorkspaceOptions } from "./workspace.ts";

export interface WriteDetails {
  readonly path: string;
  readonly isNew: boolean;
  /** Unified diff. Absent if the previous file was not text, or too large. */
  readonly diff?: string;
}

const input = z.strictObject({
  path: filePath("File to write"),
  content: z.string().describe("The complete new content."),
});

/**
 * Atomic: the file has the old content or the new one, whenever the process dies. `idempotent`, because a second run has
 * the same result as the first. Throws only on abort.
 */
export function writeTool(options: WorkspaceOptions = {}): AnyTool {
  return defineTool({
    name: "write",
    label: "Write a file",
    description:
      "Writes a file: creates it, with missing folders, or replaces all of its content. To change part of a file use edit.",
    input,
    effect: "idempotent",
    // The order of calls may matter: a file is written, then edited.
    execution: "sequential",
    execute: (wanted, context) => toToolOutput(() => write(wanted, context, options)),
  });
}

async function write(
  { path, content }: z.output<typeof input>,
  { cwd, signal }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<WriteDetails>> {
  signal.throwIfAborted();
  const target = await locateTarget(await openWorkspace(options, cwd), path);
  return inFolder(enterFolderOf(target, path), async (folder) => {
    const before = await statTarget(folder, target.name, path);
    const old = before === undefined ? "" : await textBefore(folder, target.name, path);
    signal.throwIfAborted();
    await replaceFile(folder, target.name, content, { before, path });
    const isNew = before === undefined;
    const lines = content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
    return ok(
      `${isNew ? "Created" : "Replaced"} ${path} (${lines === 1 ? "1 line" : `${lines} lines`}).`,
      {
        path,
        isNew,
        ...(old !== undefined && { diff: unifiedDiff(path, old, content) }),
      },
    );
  });
}

async function textBefore(folder: Folder, name: string, path: string): Promise<string | undefined> {
  try {
    return await readTextIn(folder, name, path);
  } catch (thrown) {
    // The file is replaced all the same, only without a diff.
    if (thrown instanceof FileError) return undefined;
    throw thrown;
  }
}
