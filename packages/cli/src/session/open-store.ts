/** Opens the file that stores sessions. */
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isRepositoryError } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";
import { failed, reasonOf } from "../errors/command-error.ts";

/** Only the user may read conversations and file contents. */
const ownFolder = 0o700;
const ownFile = 0o600;

/** Creates what is missing. Throws a `CommandError` that names the path and the remedy. */
export async function openStore(path: string): Promise<StoreHandle> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: ownFolder });
    // SQLite copies this file's mode to its other files, and would otherwise make them world-readable.
    await (await open(path, "a", ownFile)).close();
  } catch (cause) {
    // If the folder is a file, the system reports "file already exists".
    const isFile = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const reason = isFile ? `${folder} is a file, not a folder` : reasonOf(cause);
    const advice =
      "make it accessible, name another file with CAPSTAN_STORE, or run a prompt with --no-session";
    throw failed(`Cannot store sessions in ${path}: ${reason}; ${advice}.`, cause);
  }
  try {
    return sqlite(path);
  } catch (cause) {
    if (!isRepositoryError(cause)) throw cause;
    throw failed(`Cannot open the sessions. ${cause.message}.`, cause);
  }
}
