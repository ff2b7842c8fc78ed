/** `edit`: replaces passages of a file, all of them or none. */
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
  /** Number of passages replaced. */
  readonly count: number;
  /** Unified diff. */
  readonly diff: string;
}

const input = z.strictObject({
  path: filePath("File to edit"),
  edits: z
    .array(
      z.strictObject({
        old: z
          .string()
          .min(1)
          .describe("The exact passage from the file, with enough lines to be unique."),
        new: z.string().describe("The replacement."),
        all: z.boolean().optional().describe("Replace all occurrences. Default: false."),
      }),
    )
    .min(1)
    .max(100)
    .describe("Each edit refers to the current file. Either all are made, or none."),
});

/**
 * A passage must occur in the file exactly once, unless `all` is set; if there is no exact match, spaces around its lines
 * may differ. Line ends and byte order mark are kept. At most once: repeating an edit whose new text contains the old
 * would apply it twice. Throws only on abort.
 */
export function editTool(options: WorkspaceOptions = {}): AnyTool {
  return defineTool({
    name: "edit",
    label: "Edit a file",
    description:
      "Replaces passages of a text file. Each `old` must occur in it exactly once, unless `all` is set. If one edit fails, none is made, and the result explains why.",
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
