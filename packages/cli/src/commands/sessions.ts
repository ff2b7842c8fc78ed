/** `capstan sessions`: inspects, exports, imports and deletes stored sessions. */
import type { SessionRepository } from "@capstan/log";
import type { SessionsRequest } from "../command-line/request.ts";
import { forgetSessionRules } from "../config/session-rules.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { createNotes } from "../print/notes.ts";
import { sessionRow } from "../print/session-row.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";
import { findById, listSessions } from "../session/stored-sessions.ts";
import { toOneLine } from "../print/terminal-text.ts";

/** Loads what only some of its actions need with these: a list needs nothing but the store. */
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
        await (await import("./sessions-show.ts")).show(io, store, action.id);
        break;
      case "export":
        await (await import("./sessions-export.ts")).exportTo(io, store, action);
        break;
      case "import":
        await (
          await import("./sessions-import.ts")
        ).importFrom(io, store, { file: action.file, cwd });
        break;
      case "release":
        await (await import("./sessions-unfinished.ts")).release(io, store, action.id);
        break;
      case "abandon":
        await (await import("./sessions-unfinished.ts")).abandon(io, store, action.id);
        break;
      case "repair":
        await (await import("./sessions-repair.ts")).repair(io, store, action.id);
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
