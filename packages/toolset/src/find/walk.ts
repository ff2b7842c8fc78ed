/** All files below a folder that git would not ignore, in order of name. Links are not followed. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { relative, sep } from "node:path";
import { FileError, onFile } from "../files/file-error.ts";
import { Folder, inFolder } from "../files/folder.ts";
import { isIgnored, parseIgnoreFile } from "./gitignore.ts";
import type { IgnoreFile } from "./gitignore.ts";
import { readTextIn } from "../files/text-file.ts";

export interface FoundFile {
  /** From where the walk began, with `/`. */
  readonly path: string;
  /** The open folder that it is in: valid until the next file is asked for. */
  readonly folder: Folder;
  readonly name: string;
}

export interface WalkOptions {
  /** The .gitignore files from here down to the start of the walk count. A parent of the start, or the start itself. */
  readonly root: string;
  readonly ignored: boolean;
  readonly signal: AbortSignal;
  /** For messages: the folder as the model named it. */
  readonly path: string;
}

/** Folders that cannot be opened are passed over, but for the first one. */
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
  const content = await readTextIn(folder, ".gitignore", ".gitignore").catch(ignoreFileError);
  return content === undefined ? [] : [parseIgnoreFile(base, content)];
}

/** Those of the folders from the root to the one above `real`, as if the walk had come through them. */
async function ignoreFilesAbove(
  real: string,
  { root, path }: WalkOptions,
): Promise<readonly IgnoreFile[]> {
  const parts = relative(root, real).split(sep).filter(Boolean);
  const files: IgnoreFile[] = [];
  for (const depth of parts.keys()) {
    const place = [root, ...parts.slice(0, depth)].join(sep);
    const below = `${parts.slice(depth).join("/")}/`;
    const found = await inFolder(Folder.open(place, path), (folder) => ownIgnoreFile(folder, ""));
    files.push(...found.map((file) => ({ ...file, below })).map(fromInside));
  }
  return files;
}

/** Its rules are about paths that begin above the walk: what is asked about is told with the way down to it. */
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
