/** `edit`: replaces passages of a file, all of them or none. */
import { basename } from "node:path";
import type { ToolContext } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { withParsed } from "../files/parsed-field.ts";
import { editText } from "./edit-text.ts";
import { encodeText } from "../files/encoding.ts";
import { FileError, toToolOutput } from "../files/file-error.ts";
import { versionOf } from "../files/file-version.ts";
import type { SeenFile } from "../files/seen-files.ts";
import { mustBeSeen, rememberText, seenAs } from "../files/seen-files.ts";
import { inFolder, openFolderOf } from "../files/folder.ts";
import { filePath } from "../files/path-input.ts";
import { replaceFile, statTarget } from "../files/replace-file.ts";
import { readTextIn } from "../files/text-file.ts";
import { unifiedDiff } from "../files/unified-diff.ts";
import { locate, openWorkspace } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Details of an `edit` result, for user interfaces. */
export interface EditDetails {
  readonly path: string;
  readonly seen: SeenFile;
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

/** Some models send the list as JSON text. */
const lenient: typeof input = withParsed(input, "edits");

/**
 * Creates the tool that edits files. A passage must occur in the file exactly once, unless `all` is set; if there
 * is no exact match, spaces around its lines may differ. Line ends and byte order mark are kept. At most once:
 * repeating an edit whose new text contains the old would apply it twice. Throws only on abort.
 */
export function editTool(options: WorkspaceOptions = {}): NamedTool<"edit"> {
  return defineTool({
    name: "edit",
    label: "Edit a file",
    description:
      "Replaces passages of a text file. Each `old` must occur in it exactly once, unless `all` is set. If one edit fails, none is made, and the result explains why.",
    input: lenient,
    effect: "at-most-once",
    execution: "sequential",
    execute: (wanted, context) => toToolOutput(() => edit(wanted, context, options)),
  });
}

async function edit(
  { path, edits }: z.output<typeof input>,
  { cwd, signal, messages }: ToolContext,
  options: WorkspaceOptions,
): Promise<ToolOutput<EditDetails>> {
  signal.throwIfAborted();
  const real = await locate(await openWorkspace(options, cwd), path);
  const name = basename(real);
  return inFolder(openFolderOf(real, path), async (folder) => {
    const before = await statTarget(folder, name, path);
    const { text, encoding, version } = await readTextIn(folder, name, path);
    mustBeSeen(messages, { seen: seenAs(real, version), text }, path);
    const edited = editText(text, edits);
    if (edited.problems !== undefined) {
      const problems = edited.problems.join("\n");
      throw new FileError("no_match", `${path} was not changed.\n${problems}`);
    }
    signal.throwIfAborted();
    const bytes = encodeText(edited.text, encoding, path);
    await replaceFile(folder, name, bytes, { before, path });
    const now = versionOf(bytes);
    rememberText(now, edited.text);
    const passages = edited.count === 1 ? "1 passage" : `${edited.count} passages`;
    const notes = edited.notes.map((note) => `\n${note}`).join("");
    return ok(`Replaced ${passages} in ${path}.${notes}`, {
      path,
      seen: seenAs(real, now),
      count: edited.count,
      diff: unifiedDiff(path, text, edited.text),
    });
  });
}
