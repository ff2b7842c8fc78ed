/** Folders below a writable one that hold protected files, such as the repository of a submodule. */
import type { Dirent } from "node:fs";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import type { Dependency } from "@capstan/core";
import { dependency } from "@capstan/core";

export interface SearchLimits {
  /** Number of folders that are looked into. */
  readonly maxFolders: number;
  /** Number of folders with protected files: each one costs mounts at every command. */
  readonly maxFound: number;
  readonly maxMs: number;
}

export interface FoundFolders {
  readonly folders: readonly string[];
  /** False if a limit ended the search: those nearest to the top were found. */
  readonly isComplete: boolean;
}

const usualLimits: SearchLimits = { maxFolders: 20_000, maxFound: 50, maxMs: 2_000 };

/** Commands may change all code in it anyway, and packages bring many such files along, which no program reads there. */
const skipped = "node_modules";
/** Number of folders after which other work of this process gets its turn. */
const batch = 200;

/** Searches level by level, without following links. `root` itself is not among the found ones. */
export async function findNested(
  root: string,
  paths: readonly string[],
  { maxFolders, maxFound, maxMs }: SearchLimits = usualLimits,
): Promise<FoundFolders> {
  const protectedNames = new Set(paths);
  const firstParts = new Set(paths.map((path) => path.split("/")[0]));
  const folders: string[] = [];
  const waiting = [root];
  const end = performance.now() + maxMs;
  // The list grows while it is walked: that makes it level by level.
  for (const [index, folder] of waiting.entries()) {
    const isOver = index >= maxFolders || folders.length >= maxFound || performance.now() > end;
    if (isOver) return { folders, isComplete: false };
    if (index % batch === batch - 1) await pause();
    const entries = entriesIn(folder);
    if (folder !== root && entries.some(({ name }) => firstParts.has(name))) folders.push(folder);
    for (const entry of entries) {
      const isInside = entry.isDirectory() && !protectedNames.has(entry.name);
      if (isInside && entry.name !== skipped) waiting.push(join(folder, entry.name));
    }
  }
  return { folders, isComplete: true };
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or not readable: then commands cannot read it either.
    return [];
  }
}

/** Folders that a session's first command found below each writable one. Files that its commands make later are their own. */
export class NestedFolders {
  readonly #limits: SearchLimits | undefined;
  readonly #known = new Map<string, Promise<FoundFolders>>();
  #isToTell = false;

  constructor(limits?: SearchLimits) {
    this.#limits = limits;
  }

  below(root: string, paths: readonly string[]): Promise<FoundFolders> {
    const known = this.#known.get(root) ?? this.#find(root, paths);
    this.#known.set(root, known);
    return known;
  }

  /** Returns a sentence once after a search that a limit has ended. */
  takeNote(): string | undefined {
    if (!this.#isToTell) return undefined;
    this.#isToTell = false;
    return "(The folder is too large to be searched as a whole: protected files deep in it are not read-only for commands. Tell the user.)";
  }

  async #find(root: string, paths: readonly string[]): Promise<FoundFolders> {
    const found = await findNested(root, paths, this.#limits);
    if (!found.isComplete) this.#isToTell = true;
    return found;
  }
}

export const SessionNestedFolders: Dependency<NestedFolders> = dependency(
  "nested folders of a sandbox",
  () => new NestedFolders(),
  { scope: "session" },
);
