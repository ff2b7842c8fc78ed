/** The session that turns are to go on with, and the folder that it works in. */
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
  /** Undefined: a new one. */
  readonly stored: StoredSession | undefined;
}

export interface ChoiceContext {
  readonly request: TurnRequest;
  /** Where the command was called. */
  readonly folder: Folder;
  readonly store: SessionRepository;
  readonly note: Note;
}

/** How many to choose from. */
const shownCount = 10;

/** Throws a `CommandError`, a `ConfigError` of the session's folder, and a `LogError`. */
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
      ? 'There is no session to go on with: begin one with capstan "<prompt>".'
      : "--resume needs the id of a session, as those above, or the beginning of one.",
  );
}

/** Throws a `CommandError` for a session that this command did not begin. */
function folderOf({ id, head: { agent, principal } }: ListedSession): string {
  if (principal !== undefined && agent === agentNameOf(principal)) return principal;
  throw wrongUse(`Session ${id} is one of the agent "${agent}", which this command does not have.`);
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

/** That was trusted where the command was called says nothing of another folder. */
async function loadOther(io: Io, request: TurnRequest): Promise<Folder> {
  try {
    return await loadFolder(io, { ...request, isTrusting: false });
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    throw failed(`The folder of this session is not there any more: ${request.cwd}.`, thrown);
  }
}
