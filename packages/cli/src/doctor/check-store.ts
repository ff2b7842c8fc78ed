/** Checks whether sessions can be stored, and counts them. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isCapstanError } from "@capstan/core";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";
import type { Check } from "./check.ts";

const name = "store";
const pageSize = 500;

/** Does not create a store that does not exist yet. */
export async function checkStore(path: string): Promise<Check> {
  // Missing or not accessible: the check of the folder tells which.
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) return checkFolder(path);
  const problem = await cannotWrite(path);
  if (problem !== undefined) return problem;
  try {
    const store = sqlite(path);
    try {
      const sessions = await countSessions(store);
      const size = `${(file.size / 1_000_000).toFixed(1)} MB`;
      const text = `${path}: ${sessions} ${sessions === 1 ? "session" : "sessions"}, ${size}, schema version ${versionOf(path)}`;
      return { name, state: "ok", text };
    } finally {
      await store.close();
    }
  } catch (thrown) {
    if (!isCapstanError(thrown)) throw thrown;
    return { name, state: "fail", text: thrown.message, advice: otherFile };
  }
}

const otherFile = "repair it, or name another file in CAPSTAN_STORE";

async function checkFolder(path: string): Promise<Check> {
  let folder = dirname(path);
  // Nearest existing folder: the first session creates the others.
  while ((await stat(folder).catch(() => undefined)) === undefined) folder = dirname(folder);
  return (
    (await cannotWrite(folder)) ?? {
      name,
      state: "ok",
      text: `${path} will be created with the first session`,
    }
  );
}

async function cannotWrite(path: string): Promise<Check | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    const text = `${path} is not readable and writable (${code}): sessions cannot be stored`;
    return { name, state: "fail", text, advice: otherFile };
  }
}

async function countSessions(store: StoreHandle): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const page = await store.list({ limit: pageSize, ...(after !== undefined && { after }) });
    count += page.sessions.length;
    after = page.next;
  } while (after !== undefined);
  return count;
}

function versionOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // One row with one number.
    return Object.values(database.prepare("PRAGMA user_version").get() ?? {})[0] as number;
  } finally {
    database.close();
  }
}
