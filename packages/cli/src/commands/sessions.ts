/** `capstan sessions`: inspects, exports, imports and deletes stored sessions. */
import { Host } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import type { SessionsRequest } from "../command-line/request.ts";
import { forgetSessionRules } from "../config/session-rules.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { createNotes } from "../print/notes.ts";
import { sessionRow } from "../print/session-row.ts";
import type { Folder } from "../session/load-folder.ts";
import { failed, wrongUse } from "../errors/command-error.ts";
import { openStore } from "../session/open-store.ts";
import { findById, listSessions } from "../session/stored-sessions.ts";
import { toOneLine } from "../print/terminal-text.ts";
import { exportTo } from "./sessions-export.ts";
import { importFrom } from "./sessions-import.ts";
import { repair } from "./sessions-repair.ts";
import { show } from "./sessions-show.ts";

export async function sessions(
  io: Io,
  request: SessionsRequest,
  { cwd, config }: Folder,
): Promise<ExitCode> {
  const { action, isJson } = request;
  const store = await openStore(config.settings.store);
  try {
    switch (action.verb) {
      case "list":
        await list(io, store, action.isAll ? undefined : cwd, isJson);
        break;
      case "show":
        await show(io, store, action.id);
        break;
      case "export":
        await exportTo(io, store, action);
        break;
      case "import":
        await importFrom(io, store, { file: action.file, cwd });
        break;
      case "release":
        await release(io, store, action.id);
        break;
      case "abandon":
        await abandon(io, store, action.id);
        break;
      case "repair":
        await repair(io, store, action.id);
        break;
      case "delete":
        await remove(io, store, action.ids, config.folders.dataFolder);
        break;
      default:
        return action satisfies never;
    }
    return 0;
  } finally {
    await store.close();
  }
}

async function list(
  io: Io,
  store: SessionRepository,
  folder: string | undefined,
  isJson: boolean,
): Promise<void> {
  let count = 0;
  for await (const session of listSessions(store, folder)) {
    if (io.signal.aborted) return;
    count += 1;
    const { id, head } = session;
    const { title, status, updatedAt, principal, setAside } = head;
    const line = isJson
      ? JSON.stringify({ id, title, status, folder: principal, updatedAt, setAside })
      : sessionRow(session, io.clock.now(), folder === undefined);
    io.stdout.write(`${line}\n`);
  }
  if (count > 0 || isJson) return;
  const elsewhere = folder === undefined ? "" : "; for other folders: capstan sessions --all";
  createNotes(io)(`no sessions${folder === undefined ? "" : ` in ${folder}`}${elsewhere}`);
}

/** Releases the session: the next command, or a server, resumes its unfinished work. */
async function release(io: Io, store: SessionRepository, written: string): Promise<void> {
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
async function abandon(io: Io, store: SessionRepository, written: string): Promise<void> {
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

/** Deletes all of them, or none if one is missing. */
async function remove(
  io: Io,
  store: SessionRepository,
  ids: readonly string[],
  dataFolder: string,
): Promise<void> {
  const found = await Promise.all(ids.map((id) => findById(store, id)));
  for (const { id, head } of found) {
    await store.delete(id);
    await forgetSessionRules(dataFolder, id);
    io.stdout.write(`deleted ${id}  ${toOneLine(head.title ?? "")}\n`);
  }
}
