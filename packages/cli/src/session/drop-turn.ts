/** Drops the unfinished turn of a session. */
import { Host } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import type { Io } from "../process/io.ts";
import type { Note } from "../print/notes.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { StoredSession } from "./stored-sessions.ts";
import { readStored } from "./stored-sessions.ts";

/** Returns the session without its unfinished turn, of which nothing more runs. */
export async function dropTurn(
  io: Io,
  store: SessionRepository,
  { stored }: ChosenSession,
  note: Note,
): Promise<StoredSession | undefined> {
  if (stored === undefined) return undefined;
  const host = new Host({ agents: [], repository: store, clock: io.clock, pollMs: Infinity }, true);
  try {
    const isDropped = await host.abandon(stored.id, "dropped by --drop");
    note(isDropped ? "dropped the unfinished turn" : "no unfinished turn to drop");
    return isDropped ? await readStored(store, stored.listed) : stored;
  } finally {
    await host.close();
  }
}
