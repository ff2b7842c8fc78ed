/**
 * Temporary files beside the files they replace. Each is noted in a folder of this user, so that one that a killed process has left is
 * removed by the next process.
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";

const ownName = /^\.capstan-\d+-[\da-f-]{36}\.tmp$/;

export function temporaryName(): string {
  return `.capstan-${process.pid}-${randomUUID()}.tmp`;
}

/** Notes a temporary file before it is made. Returns a function that removes the note. */
export async function noteTemporary(path: string): Promise<() => Promise<void>> {
  const note = join(await notesFolder(), `${basename(path)}.note`);
  await writeFile(note, path, { mode: 0o600, flag: "wx" });
  return () => unlink(note).catch(ignore);
}

/** Removes temporary files of processes that have ended. Never rejects. */
export async function sweepTemporaryFiles(): Promise<void> {
  try {
    const folder = await notesFolder();
    for (const name of await readdir(folder)) await sweep(join(folder, name));
  } catch {
    // Without the folder there are no notes; what cannot be read now is read by the next process.
  }
}

async function sweep(note: string): Promise<void> {
  const name = basename(note, ".note");
  const pid = Number(/^\.capstan-(\d+)-/.exec(name)?.[1]);
  if (!ownName.test(name) || isAlive(pid)) return;
  const path = await readFile(note, "utf8").catch(ignore);
  // Only a file that this module has named is removed.
  if (path !== undefined && basename(path) === name) await unlink(path).catch(ignore);
  await unlink(note).catch(ignore);
}

/** Its owner must be this user: others may make a folder of this name in a shared one. */
async function notesFolder(): Promise<string> {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `capstan-${uid}`);
  await mkdir(folder, { mode: 0o700 }).catch(ignore);
  const stats = await lstat(folder);
  if (stats.isDirectory() && (uid < 0 || stats.uid === uid)) return folder;
  throw new Error(`${folder} belongs to another user`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // A process of another user is alive, too.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

/** It exists already, or is gone already. */
function ignore(): undefined {}
