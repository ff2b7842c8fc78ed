/** A session that the terminal works on: its host, its agent and its rules. */
import type { HostFault, Model, Session } from "@capstan/core";
import { Host } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import type { Cursor, SessionRepository } from "@capstan/log";
import type { SessionChoice, TurnRequest } from "../command-line/request.ts";
import { reasonOf } from "../errors/command-error.ts";
import type { AskUser } from "../mcp/open-servers.ts";
import type { Note } from "../print/notes.ts";
import type { Io } from "../process/io.ts";
import { chooseSession } from "../session/choose-session.ts";
import type { SessionModel } from "../session/choose-session-model.ts";
import { chooseSessionModel } from "../session/choose-session-model.ts";
import { dropTurn } from "../session/drop-turn.ts";
import type { FolderAgent } from "../session/folder-agent.ts";
import { createFolderAgent } from "../session/folder-agent.ts";
import type { Folder } from "../session/load-folder.ts";
import { openSession } from "../session/open-session.ts";
import { readOnce } from "./read-once.ts";

/** How long a crashed process blocks others, if the store cannot tell that it is dead. */
const leaseMs = 5_000;

export interface Work {
  readonly store: SessionRepository;
  readonly session: Session;
  readonly folder: Folder;
  readonly model: SessionModel;
  readonly decide: FolderAgent["decide"];
  /** Messages before `cursor`; events after it follow. */
  readonly messages: readonly ChatMessage[];
  /** Undefined for a new session. */
  readonly cursor: Cursor | undefined;
  /** Leaves the session: a turn in progress stays unfinished. */
  close(): Promise<void>;
}

export interface WorkInit {
  readonly request: TurnRequest;
  readonly folder: Folder;
  readonly store: SessionRepository;
  readonly note: Note;
  readonly askUser: AskUser;
  /** Called with the messages of a stored session, before its work begins. */
  readonly onRead?: (messages: readonly ChatMessage[]) => Promise<void> | void;
}

/** Throws like the commands do: a `CommandError`, a `ConfigError`, a `ModelError` or a `LogError`. */
export async function openWork(io: Io, init: WorkInit): Promise<Work> {
  const { request, store, note, askUser } = init;
  const chosen = await chooseSession(io, { ...init, request });
  const stored = request.isDropping ? await dropTurn(io, store, chosen, note) : chosen.stored;
  const { folder } = chosen;
  if (stored !== undefined) await init.onRead?.(stored.fold.transcript.list);
  const model = await chooseSessionModel(io, request, folder, stored?.fold.config);
  const { agent, decide, close } = await createFolderAgent(io, {
    folder,
    note,
    askUser,
    ...model,
  });
  const onError = ({ error }: HostFault): void => note(reasonOf(error));
  const repository = stored === undefined ? store : readOnce(store, stored);
  const options = { agents: [agent], repository, clock: io.clock, leaseMs, onError };
  // A separate host: it resumes this session, and no other unfinished one it finds.
  const host = new Host(options, true);
  try {
    const session = await openSession(io, host, { request, folder, stored }, model);
    return {
      store,
      session,
      folder,
      model,
      decide,
      messages: stored?.fold.transcript.list ?? [],
      cursor: stored?.cursor,
      close: async () => {
        await host.close();
        await close();
      },
    };
  } catch (thrown) {
    await host.close();
    await close();
    throw thrown;
  }
}

/** Changes of the request that the terminal was started with. Without a session, the one that is open stays. */
export interface WorkChanges {
  readonly session?: SessionChoice;
  readonly model?: string;
}

export type OpenWork = (changes: WorkChanges, open: Work | undefined) => Promise<Work>;

/** Settings of the command line are those of the session it has started, and of new ones. */
export function changeRequest(
  request: TurnRequest,
  { session, model }: WorkChanges,
  open: Work | undefined,
): TurnRequest {
  const { model: asked, thinking, ...others } = request.flags;
  const own = {
    ...(asked !== undefined && { model: asked }),
    ...(thinking !== undefined && { thinking }),
  };
  const isStored = open !== undefined && open.session.lastSeq > 0;
  const same: SessionChoice = isStored
    ? { type: "byId", id: open.session.id, isFork: false }
    : { type: "new" };
  const choice = session ?? same;
  return {
    ...request,
    session: choice,
    isDropping: false,
    flags: {
      ...others,
      ...(choice.type === "new" && own),
      ...(model !== undefined && { model }),
    },
  };
}

/** Tokens that fit into one request and its reply; undefined if unknown. */
export function windowOf({ facts, provider }: Model): number | undefined {
  return facts?.contextWindow ?? provider.contextWindow;
}
