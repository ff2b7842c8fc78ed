/** Whether sessions can be kept, and how many there are. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isCapstanError } from "@capstan/core";
import type { StoreHandle } from "@capstan/stores/sqlite";
import { sqlite } from "@capstan/stores/sqlite";
import type { Check } from "./check.ts";

const name = "store";
const pageSize = 500;

/** A store that is not there yet is not made. */
export async function checkStore(path: string): Promise<Check> {
  // Not there yet, or not to be looked at: the folder says which.
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) return checkFolder(path);
  const problem = await cannotWrite(path);
  if (problem !== undefined) return problem;
  try {
    const store = sqlite(path);
    try {
      const sessions = await countSessions(store);
      const size = `${(file.size / 1_000_000).toFixed(1)} MB`;
      const text = `${path}: ${sessions} ${sessions === 1 ? "session" : "sessions"}, ${size}, tables of version ${versionOf(path)}`;
      return { name, state: "ok", text };
    } finally {
      await store.close();
    }
  } catch (thrown) {
    if (!isCapstanError(thrown)) throw thrown;
    return { name, state: "fail", text: thrown.message, advice: otherPlace };
  }
}

const otherPlace = "repair it, or name another file in CAPSTAN_STORE";

async function checkFolder(path: string): Promise<Check> {
  let folder = dirname(path);
  // The nearest that is there: the others are made with the first session.
  while ((await stat(folder).catch(() => undefined)) === undefined) folder = dirname(folder);
  return (
    (await cannotWrite(folder)) ?? {
      name,
      state: "ok",
      text: `${path} is made with the first session`,
    }
  );
}

async function cannotWrite(path: string): Promise<Check | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    const text = `${path} cannot be read and written (${code}), so that no session would last`;
    return { name, state: "fail", text, advice: otherPlace };
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
