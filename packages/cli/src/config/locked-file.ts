/** Changes a small file under a lock, so that processes that write at the same time lose nothing. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isSystemError } from "./read-file.ts";

const lockWaitMs = 2_000;

/**
 * Runs the work while no other process does the same for this file. Returns the reason if the lock is not available, in one sentence. A stale
 * lock is never removed: if two processes did that, one would lose what the other wrote.
 */
export async function whileLocked(
  path: string,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + lockWaitMs;
  while (!(await create(lock))) {
    if (Date.now() > until) return `${lock} exists: remove it if no other capstan is running`;
    await wait(10);
  }
  try {
    return await work();
  } finally {
    await unlink(lock);
  }
}

async function create(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (thrown) {
    if (isSystemError(thrown) && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}

/** Replaces the file in one step. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}-${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    // The first failure is the one to report.
    await unlink(temporary).catch(() => {});
    throw thrown;
  }
}
