/** `/resume` and `/sessions`: another session, of this folder or of all. */
import type { ChatMessage } from "@capstan/kernel";
import type { ListedSession, SessionRepository } from "@capstan/log";
import { parseEntry } from "@capstan/log";
import { sessionRow } from "../../print/session-row.ts";
import { listSessions } from "../../session/stored-sessions.ts";
import type { App } from "../app.ts";
import { blocksOf } from "../conversation/message-blocks.ts";
import type { SlashCommand } from "./command.ts";

/** Entries at the end of a session that its preview looks at. */
const previewEntries = 60;

/** The last prompt and the last reply. Only the end of the session is read: it may be long. */
async function lastWords(
  store: SessionRepository,
  { id, lastSeq }: ListedSession,
): Promise<string> {
  const { entries } = await store.read(id, { after: Math.max(0, lastSeq - previewEntries) });
  const messages = entries.flatMap((stored): readonly ChatMessage[] => {
    const entry = parseEntry(stored);
    if (entry?.type === "message") return [entry.message];
    return entry?.type === "input" ? entry.messages : [];
  });
  const blocks = blocksOf(messages);
  const prompt = blocks.findLast(({ type }) => type === "user");
  const reply = blocks.findLast(({ type }) => type === "reply");
  const texts = [prompt, reply].flatMap((block) =>
    block !== undefined && "text" in block ? block.text : [],
  );
  return texts.length === 0 ? "nothing was said at its end" : texts.map(oneLine).join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

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
    preview: () => lastWords(store, listed),
  }));
  return app.choose("Session", items);
}
