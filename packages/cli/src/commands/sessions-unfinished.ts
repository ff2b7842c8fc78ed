/** `capstan sessions release` and `abandon`: unfinished work of a session. */
import { Host } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { failed, wrongUse } from "../errors/command-error.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { Io } from "../process/io.ts";
import { findById } from "../session/stored-sessions.ts";

/** Releases the session: the next command, or a server, resumes its unfinished work. */
export async function release(io: Io, store: SessionRepository, written: string): Promise<void> {
  const { id, head } = await findById(store, written);
  if (head.setAside === undefined) throw wrongUse(`Session ${id} is not set aside.`);
  const host = new Host({ agents: [], repository: store, clock: io.clock, pollMs: Infinity }, true);
  try {
    if (!(await host.release(id))) throw failed(`Session ${id} is in use: try again later.`);
  } finally {
    await host.close();
  }
  io.stdout.write(`released ${id}  ${toOneLine(head.title ?? "")}\n`);
}

/** Drops the unfinished turn of the session, wherever it runs. */
export async function abandon(io: Io, store: SessionRepository, written: string): Promise<void> {
  const { id, head } = await findById(store, written);
  const host = new Host({ agents: [], repository: store, clock: io.clock, pollMs: Infinity }, true);
  try {
    const isDropped = await host.abandon(id, "dropped by capstan sessions abandon");
    if (!isDropped) throw wrongUse(`Session ${id} has no unfinished turn.`);
  } finally {
    await host.close();
  }
  io.stdout.write(`abandoned the turn of ${id}  ${toOneLine(head.title ?? "")}\n`);
}
