/** A lock between processes, as a file. The lock of a process that died is taken over. */
import { randomUUID } from "node:crypto";
import { open, readFile, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

/** Longer than any work under a lock may take. */
const staleAfterMs = 120_000;
const takeoverMs = 10_000;
const pollMs = 20;

/** Runs the work while no other process, and no other caller of this one, holds the lock. Rejects if the lock is not free in time. */
export async function withLock<T>(
  path: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const until = Date.now() + waitMs;
  const mark = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  while (!(await create(path, mark))) {
    if (await isStale(path)) await takeOver(path);
    else if (Date.now() > until) throw new Error(`another process holds ${path}`);
    else await wait(pollMs);
  }
  try {
    return await work();
  } finally {
    // A lock that was taken over belongs to another process.
    if ((await contentOf(path)) === mark) await unlink(path);
  }
}

async function create(path: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx", 0o600);
    try {
      await handle.writeFile(mark);
    } finally {
      await handle.close();
    }
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

async function isStale(path: string): Promise<boolean> {
  const ageMs = await ageOf(path);
  if (ageMs === undefined) return false;
  if (ageMs > staleAfterMs) return true;
  const owner = ownerOf(await contentOf(path));
  return owner !== undefined && owner.host === hostname() && !isAlive(owner.pid);
}

/** Removes a stale lock. Only one process at a time does so: a second one would remove the lock of the first. */
async function takeOver(path: string): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await create(guard, ""))) {
    const ageMs = await ageOf(guard);
    if (ageMs !== undefined && ageMs > takeoverMs) await unlinkIfThere(guard);
    await wait(pollMs);
    return;
  }
  try {
    if (await isStale(path)) await unlinkIfThere(path);
  } finally {
    await unlinkIfThere(guard);
  }
}

function ownerOf(content: string | undefined): { pid: number; host: string } | undefined {
  try {
    const { pid, host } = JSON.parse(content ?? "") as { pid?: unknown; host?: unknown };
    return typeof pid === "number" && typeof host === "string" ? { pid, host } : undefined;
  } catch {
    // Its owner is about to write it, or died before; then its age decides.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) !== "ESRCH";
  }
}

async function ageOf(path: string): Promise<number | undefined> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null)?.code;
}
