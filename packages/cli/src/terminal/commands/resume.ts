/** `/resume` and `/sessions`: another session, of this folder or of all. */
import type { ListedSession, SessionRepository } from "@capstan/log";
import { sessionRow } from "../../print/session-row.ts";
import { listSessions } from "../../session/stored-sessions.ts";
import type { App } from "../app.ts";
import type { SlashCommand } from "./command.ts";

/** Older sessions are found with `capstan sessions`. */
const maxListed = 5_000;

export const resume: SlashCommand = {
  name: "resume",
  argument: "id",
  help: "open another session of this folder",
  run: (app, id, work) => open(app, id, work.store, work.folder.cwd),
};

export const sessions: SlashCommand = {
  name: "sessions",
  help: "open a session of any folder",
  run: (app, _, { store }) => open(app, "", store, undefined),
};

async function open(
  app: App,
  id: string,
  store: SessionRepository,
  folder: string | undefined,
): Promise<void> {
  const chosen = id === "" ? await choose(app, store, folder) : id;
  if (chosen === undefined) return;
  await app.reopen({ session: { type: "byId", id: chosen, isFork: false } });
}

async function choose(
  app: App,
  store: SessionRepository,
  folder: string | undefined,
): Promise<string | undefined> {
  const found: ListedSession[] = [];
  for await (const listed of listSessions(store, folder)) {
    if (found.length === maxListed) break;
    found.push(listed);
  }
  const now = app.io.clock.now();
  const items = found.map((listed) => ({
    value: listed.id,
    label: sessionRow(listed, now, folder === undefined),
    preview: listed.head.title ?? "",
  }));
  return app.choose("Session", items);
}
