/** Chooses the session to continue, and its folder. */
import type { ListedSession, SessionRepository } from "@capstan/log";
import { newId } from "@capstan/log";
import type { SessionChoice, TurnRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { Note } from "../print/notes.ts";
import { sessionRow } from "../print/session-row.ts";
import { CommandError, failed, wrongUse } from "../errors/command-error.ts";
import { agentNameOf } from "./folder-agent.ts";
import { forkStored } from "./fork-stored.ts";
import type { Folder } from "./load-folder.ts";
import { loadFolder } from "./load-folder.ts";
import type { StoredSession } from "./stored-sessions.ts";
import { findById, findNewest, listSessions, readStored } from "./stored-sessions.ts";

export interface ChosenSession {
  readonly folder: Folder;
  /** Undefined for a new session. */
  readonly stored: StoredSession | undefined;
}

export interface ChoiceContext {
  readonly request: TurnRequest;
  /** Folder the command was called in. */
  readonly folder: Folder;
  readonly store: SessionRepository;
  readonly note: Note;
}

/** Number of sessions listed to choose from. */
const shownCount = 10;

/** Throws a `CommandError`, a `ConfigError` about the session's folder, or a `LogError`. */
export async function chooseSession(io: Io, context: ChoiceContext): Promise<ChosenSession> {
  const { request, folder, store, note } = context;
  const { session: choice } = request;
  if (choice.type === "new") return { folder, stored: undefined };
  const found = await find(io, choice, context);
  const cwd = folderOf(found);
  const original = await readStored(store, found);
  const stored = choice.isFork ? await fork(io, original, context) : original;
  if (cwd === folder.cwd) return { folder, stored };
  note(`this session works in ${cwd}`);
  return { folder: await loadOther(io, { ...request, cwd }), stored };
}

async function find(
  io: Io,
  choice: Exclude<SessionChoice, { readonly type: "new" }>,
  { folder, store }: ChoiceContext,
): Promise<ListedSession> {
  if (choice.type === "newest") return findNewest(store, folder.cwd);
  if (choice.id !== undefined) return findById(store, choice.id);
  let count = 0;
  for await (const session of listSessions(store)) {
    if (count === shownCount) break;
    count += 1;
    io.stderr.write(`${sessionRow(session, io.clock.now(), true)}\n`);
  }
  throw wrongUse(
    count === 0
      ? 'No sessions yet: start one with capstan "<prompt>".'
      : "--resume needs a session id from the list above, or the beginning of one.",
  );
}

/** Throws a `CommandError` if another program created the session. */
function folderOf({ id, head: { agent, principal } }: ListedSession): string {
  if (principal !== undefined && agent === agentNameOf(principal)) return principal;
  throw wrongUse(
    `Session ${id} belongs to the agent "${agent}", which this command does not have.`,
  );
}

async function fork(
  io: Io,
  original: StoredSession,
  { store, note }: ChoiceContext,
): Promise<StoredSession> {
  const id = newId();
  await forkStored(store, original, { id, now: io.clock.now() });
  note(`session ${id} is a copy of ${original.id}`);
  return readStored(store, { ...original.listed, id });
}

/** Trust for the current folder does not extend to the session's folder. */
async function loadOther(io: Io, request: TurnRequest): Promise<Folder> {
  try {
    return await loadFolder(io, { ...request, isTrusting: false });
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    throw failed(`The folder of this session no longer exists: ${request.cwd}.`, thrown);
  }
}
