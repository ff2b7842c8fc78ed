/** `edit`: passages of a file replaced by others, all of them or none. */
import { basename } from "node:path";
import type { AnyTool, ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { editText } from "./edit-text.ts";
import { FileError, toToolOutput } from "../files/file-error.ts";
import { inFolder, openFolderOf } from "../files/folder.ts";
import { filePath } from "../files/path-input.ts";
import { replaceFile, statTarget } from "../files/replace-file.ts";
import { readTextIn } from "../files/text-file.ts";
import { unifiedDiff } from "../files/unified-diff.ts";
import { locate, openWorkspace } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";

export interface EditDetails {
  readonly path: string;
  /** How many passages were replaced. */
  readonly count: number;
  /** Unified. */
  readonly diff: string;
}

const input = z.strictObject({
  path: filePath("The file"),
  edits: z
    .array(
      z.strictObject({
        old: z
          .string()
          .min(1)
          .describe("The passage as it is in the file, with enough lines to be there only once."),
        new: z.string().describe("What to put in its place."),
        all: z.boolean().optional().describe("Replace it wherever it is. Default: false."),
      }),
    )
    .min(1)
    .max(100)
    .describe("Each is about the file as it is now. All are made, or none."),
});

/**
 * A passage must be in the file exactly once, unless `all` is set; if it is not there as written, spaces around its lines
 * may differ. Line ends and byte order mark stay as they are. At most once: text that holds what it replaces would be
 * put in twice. Throws only on abort.
 */
export function editTool(options: WorkspaceOptions = {}): AnyTool {
  return defineTool({
    name: "edit",
    label: "Edit a file",
    description:
      "Replaces passages of a text file. Each `old` must be in it exactly once, or set `all`. If one cannot be made, none is, and the answer says why.",
    input,
    effect: "at-most-once",
    execution: "sequential",
    execute: (wanted, context) => toToolOutput(() => edit(wanted, context, options)),
  });
}

async function edit(
  { path, edits }: z.output<typeof input>,
  { cwd, signal }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<EditDetails>> {
  signal.throwIfAborted();
  const real = await locate(await openWorkspace(options, cwd), path);
  const name = basename(real);
  return inFolder(openFolderOf(real, path), async (folder) => {
    const before = await statTarget(folder, name, path);
    const text = await readTextIn(folder, name, path);
    const edited = editText(text, edits);
    if (edited.problems !== undefined) {
      const problems = edited.problems.join("\n");
      throw new FileError("no_match", `${path} was not changed.\n${problems}`);
    }
    signal.throwIfAborted();
    await replaceFile(folder, name, edited.text, { before, path });
    const passages = edited.count === 1 ? "1 passage" : `${edited.count} passages`;
    return ok(`Replaced ${passages} in ${path}.`, {
      path,
      count: edited.count,
      diff: unifiedDiff(path, text, edited.text),
    });
  });
}
