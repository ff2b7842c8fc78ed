/** Finds processes that left the group of their command, as daemons do: they still have its marker in their environment. */
import { readdir, readFile } from "node:fs/promises";

/** Variable that every process of a command inherits. */
export const marker = "CAPSTAN_COMMAND";

/** Works only with /proc. On other systems these processes keep running. */
export async function signalMarked(id: string, signal: NodeJS.Signals): Promise<void> {
  // Without a /proc there is no way to find them.
  const names = await readdir("/proc").catch(() => []);
  const mark = `${marker}=${id}`;
  await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map((name) => signalIfMarked(Number(name), mark, signal)),
  );
}

async function signalIfMarked(pid: number, mark: string, signal: NodeJS.Signals): Promise<void> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1");
    if (environment.split("\0").includes(mark)) process.kill(pid, signal);
  } catch {
    // Another user's process, or gone in the meantime.
  }
}
