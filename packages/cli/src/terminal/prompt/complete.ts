/** Completions in the prompt: commands after `/`, files after `@`. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { commands } from "../commands/commands.ts";
import type { ScreenParts } from "../screen/contracts.ts";

type Found = Awaited<ReturnType<ScreenParts["complete"]>>;

const maxItems = 20;
/** More files are not looked at: a completion must come at once. */
const maxFiles = 10_000;
const skipped: ReadonlySet<string> = new Set([".git", "node_modules", "dist", "target", ".venv"]);

export async function complete(before: string, cwd: string, signal: AbortSignal): Promise<Found> {
  if (/^\/\S*$/.test(before)) {
    const items = commands
      .filter(({ name }) => `/${name}`.startsWith(before))
      .map(({ name, help }) => ({ value: `/${name}`, label: `/${name}`, description: help }));
    return { start: 0, items };
  }
  const [, written] = /(?:^|\s)@(\S*)$/.exec(before) ?? [];
  if (written === undefined) return undefined;
  const paths = await filesOf(cwd, signal);
  const wanted = written.toLowerCase();
  const items = paths
    .filter((path) => path.toLowerCase().includes(wanted))
    .toSorted((a, b) => rank(a, wanted) - rank(b, wanted) || a.length - b.length)
    .slice(0, maxItems)
    .map((path) => ({ value: `@${path}`, label: path }));
  return { start: before.length - written.length - 1, items };
}

/** Names before paths, beginnings before the rest. */
function rank(path: string, wanted: string): number {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (lower.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
}

/** Paths below the folder, the nearest first. */
async function filesOf(cwd: string, signal: AbortSignal): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [cwd];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    if (signal.aborted || files.length > maxFiles) break;
    // A folder that cannot be read has nothing to offer.
    const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path);
      else if (entry.isFile()) files.push(relative(cwd, path));
    }
  }
  return files;
}
