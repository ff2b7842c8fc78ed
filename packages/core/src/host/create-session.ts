/** A session with its own host, for programs that need only one. */
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { AgentTypes } from "../agent/agent-types.ts";
import type { Clock } from "../platform/clock.ts";
import { mustBeOptions } from "../errors/session-error.ts";
import type { OnFault } from "./host-fault.ts";
import type { NewSession, SessionFields } from "./host.ts";
import { Host } from "./host.ts";
import type { SessionReads } from "./host-options.ts";
import type { SessionStart } from "./open-or-create.ts";
import type { Session } from "../session/session.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";

/** Agent, store, clock and error callback of a session that has a host of its own. */
export interface OwnHost<Known extends AgentTypes = AgentTypes> {
  readonly agent: Agent<Known>;
  /** Default: in memory. */
  readonly repository?: SessionRepository;
  readonly clock?: Clock;
  /** See `HostOptions`. */
  readonly reads?: SessionReads;
  /** See `HostOptions`. */
  readonly onError?: OnFault;
}

/** Options of `createSession`. Without a repository the session is kept in memory. */
export type SessionInit<Known extends AgentTypes = AgentTypes> = OwnHost<Known> &
  Omit<SessionFields<Known>, "agent"> &
  Known["appField"];

/** Options of `openSession`: the id of the session and the store that has it. */
export type OpenInit<Known extends AgentTypes = AgentTypes> = SessionInit<Known> & {
  readonly id: string;
  readonly repository: SessionRepository;
};

/** Options of `restoreSession`: the agent and the snapshot. */
export interface RestoreInit<Known extends AgentTypes = AgentTypes> extends OwnHost<Known> {
  readonly snapshot: SessionSnapshot;
  /** See `RestoreOptions`. Default: only the messages of the snapshot are kept. */
  readonly trust?: "own";
  /** Application context of the imported session. A snapshot with `trust: "own"` keeps its own. */
  readonly app?: NoInfer<Known["app"]>;
}

/** Creates a session that is stored on the first send. To open a stored session, use `openSession`; to take over from other processes, `createHost`. */
export function createSession<Known extends AgentTypes = AgentTypes>(
  init: SessionInit<Known>,
): Session<Known> {
  mustBeOptions(init, "createSession");
  return startSession(init, false);
}

function startSession<Known extends AgentTypes>(
  init: SessionInit<Known>,
  isPassing: boolean,
): Session<Known> {
  const { agent, ...origin } = withoutHost(init);
  const host = hostOf(init, isPassing);
  // It has `app` if that is required.
  const session = host.createSession({ ...origin, agent: agent.name } as NewSession);
  // The session runs with the given agent.
  return session as Session<Known>;
}

/** Creates a session that ends with its turn. */
export function createPassingSession<Known extends AgentTypes = AgentTypes>(
  init: SessionInit<Known>,
): Session<Known> {
  return startSession(init, true);
}

/** Opens the stored session with this id, or creates it; see `host.session`. */
export async function openSession<Known extends AgentTypes = AgentTypes>(
  init: OpenInit<Known>,
): Promise<Session<Known>> {
  mustBeOptions(init, "openSession");
  const { agent, id, ...origin } = withoutHost(init);
  const host = hostOf(init);
  try {
    // It has `app` if that is required.
    const session = await host.session(id, { ...origin, agent: agent.name } as SessionStart);
    return session as Session<Known>;
  } catch (thrown) {
    await host.close();
    throw thrown;
  }
}

/** Restores a snapshot of `session.snapshot`. With `trust: "own"`, a snapshot of another agent is refused with `unknown_agent`. */
export async function restoreSession<Known extends AgentTypes = AgentTypes>(
  init: RestoreInit<Known>,
): Promise<Session<Known>> {
  mustBeOptions(init, "restoreSession");
  const { snapshot, trust, app } = init;
  const session = await hostOf(init).restore(snapshot, trust === undefined ? { app } : { trust });
  return session as Session<Known>;
}

function hostOf<Known extends AgentTypes>(init: OwnHost<Known>, isPassing = false): Host {
  const { agent, repository = memoryRepository(), clock, onError, reads } = init;
  const own = { ...(clock && { clock }), ...(onError && { onError }), ...(reads && { reads }) };
  return new Host({ agents: [agent], repository, ...own }, true, isPassing);
}

function withoutHost<Init extends OwnHost>(
  init: Init,
): Omit<Init, "repository" | "clock" | "onError" | "reads"> {
  const { repository: _, clock: _clock, onError: _onError, reads: _reads, ...rest } = init;
  return rest;
}
