/** Temporary folder of a session's commands. It replaces that of the machine, which holds sockets and files of others. */
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dependency } from "@capstan/core";
import { dependency } from "@capstan/core";
import { isAlive } from "../files/temporary-files.ts";

const prefix = "capstan-sandbox-";

/** Real path. Removed when the session is closed. */
export const SandboxFolder: Dependency<string> = dependency("sandbox folder", createFolder, {
  scope: "session",
  dispose: (folder) => rm(folder, { recursive: true, force: true }),
});

async function createFolder(): Promise<string> {
  const parent = await realpath(tmpdir());
  await sweep(parent);
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

/** Removes folders that killed processes have left. */
async function sweep(parent: string): Promise<void> {
  // Folders that cannot be listed now are removed by a later process.
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(prefix) ? Number(/^\d+/.exec(name.slice(prefix.length))?.[0]) : NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    // Another user's folder stays.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}
