/** Walks all files below a folder that git would not ignore, in order of name. Does not follow links. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { relative, sep } from "node:path";
import { FileError, onFile } from "../files/file-error.ts";
import { Folder, inFolder } from "../files/folder.ts";
import { isIgnored, parseIgnoreFile } from "./gitignore.ts";
import type { IgnoreFile } from "./gitignore.ts";
import { readTextIn } from "../files/text-file.ts";

export interface FoundFile {
  /** Relative to the start of the walk, with `/`. */
  readonly path: string;
  /** The open folder that contains it: valid until the next file is requested. */
  readonly folder: Folder;
  readonly name: string;
}

export interface WalkOptions {
  /** A parent of the start, or the start itself: .gitignore files from here down to the start also apply. */
  readonly root: string;
  readonly ignored: boolean;
  readonly signal: AbortSignal;
  /** The folder as the model named it, for messages. */
  readonly path: string;
}

/** Skips folders that cannot be opened, except for the first one. */
export async function* walk(real: string, options: WalkOptions): AsyncGenerator<FoundFile> {
  const ignoreFiles = options.ignored ? [] : await ignoreFilesAbove(real, options);
  const folder = await Folder.open(real, options.path);
  yield* filesIn(folder, "", ignoreFiles, options);
}

async function* filesIn(
  folder: Folder,
  base: string,
  above: readonly IgnoreFile[],
  options: WalkOptions,
): AsyncGenerator<FoundFile> {
  try {
    options.signal.throwIfAborted();
    const entries = await entriesOf(folder, options.path);
    const ignoreFiles = options.ignored
      ? above
      : [...above, ...(await ownIgnoreFile(folder, base))];
    for (const entry of entries) {
      const path = base + entry.name;
      if (entry.name === ".git" || isIgnored(ignoreFiles, path, entry.isDirectory())) continue;
      if (entry.isFile()) yield { path, folder, name: entry.name };
      if (!entry.isDirectory()) continue;
      const inner = await folder.enter(entry.name, path).catch(ignoreFileError);
      if (inner !== undefined) yield* filesIn(inner, `${path}/`, ignoreFiles, options);
    }
  } finally {
    await folder.close();
  }
}

async function entriesOf(folder: Folder, path: string): Promise<readonly Dirent[]> {
  const entries = await onFile(path, () => readdir(folder.here, { withFileTypes: true }));
  await folder.confirm(path);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function ownIgnoreFile(folder: Folder, base: string): Promise<readonly IgnoreFile[]> {
  const file = await readTextIn(folder, ".gitignore", ".gitignore").catch(ignoreFileError);
  return file === undefined ? [] : [parseIgnoreFile(base, file.text)];
}

/** Ignore files of the folders from the root to the parent of `real`, as if the walk had come through them. */
async function ignoreFilesAbove(
  real: string,
  { root, path }: WalkOptions,
): Promise<readonly IgnoreFile[]> {
  const parts = relative(root, real).split(sep).filter(Boolean);
  const files: IgnoreFile[] = [];
  for (const depth of parts.keys()) {
    const folderPath = [root, ...parts.slice(0, depth)].join(sep);
    const below = `${parts.slice(depth).join("/")}/`;
    const found = await inFolder(Folder.open(folderPath, path), (folder) =>
      ownIgnoreFile(folder, ""),
    );
    files.push(...found.map((file) => ({ ...file, below })).map(fromInside));
  }
  return files;
}

/** Its rules apply to paths that begin above the walk, so paths are completed before they are matched. */
function fromInside({ rules, below }: IgnoreFile & { readonly below: string }): IgnoreFile {
  return {
    base: "",
    rules: rules.map((rule) => ({
      ...rule,
      matches: (path: string) => rule.matches(below + path),
    })),
  };
}

function ignoreFileError(thrown: unknown): undefined {
  if (!(thrown instanceof FileError)) throw thrown;
  return undefined;
}
