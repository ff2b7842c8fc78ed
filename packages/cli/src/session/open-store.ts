/** The file that sessions are in. */
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { isRepositoryError } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";
import { failed, reasonOf } from "../errors/command-error.ts";

/** What was said and read is nobody else's business. */
const ownFolder = 0o700;
const ownFile = 0o600;

/** Makes what is not there. Throws a `CommandError` that names the path and says what to do. */
export async function openStore(path: string): Promise<StoreHandle> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: ownFolder });
    // SQLite gives its other files the rights of this one, and would let everybody read it.
    await (await open(path, "a", ownFile)).close();
  } catch (cause) {
    // What the system says of a file in the place of a folder is "file already exists".
    const isFile = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const reason = isFile ? `${folder} is a file, not a folder` : reasonOf(cause);
    const advice = "give access to it, or name another file with CAPSTAN_STORE";
    throw failed(`The sessions cannot be kept in ${path}: ${reason}; ${advice}.`, cause);
  }
  try {
    return sqlite(path);
  } catch (cause) {
    if (!isRepositoryError(cause)) throw cause;
    throw failed(`The sessions cannot be opened. ${cause.message}.`, cause);
  }
}
