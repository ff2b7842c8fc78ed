/** A session with its own host, for programs that need only one. */
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { AppField } from "../tools/app-schema.ts";
import type { Clock } from "../platform/clock.ts";
import type { OnFault } from "./host-fault.ts";
import type { NewSession } from "./host.ts";
import { Host } from "./host.ts";
import type { SessionStart } from "./open-or-create.ts";
import type { Session } from "../session/session.ts";
import type { SessionSnapshot } from "../session/snapshot.ts";

export interface OwnHost<Output, SentApp = unknown> {
  readonly agent: Agent<Output, SentApp>;
  /** Default: in memory. */
  readonly repository?: SessionRepository;
  readonly clock?: Clock;
  /** See `HostOptions`. */
  readonly onError?: OnFault;
}

export type SessionInit<Output = unknown, SentApp = unknown> = OwnHost<Output, SentApp> &
  Omit<NewSession, "agent" | "app"> &
  AppField<SentApp>;

export type OpenInit<Output = unknown, SentApp = unknown> = SessionInit<Output, SentApp> & {
  readonly id: string;
  readonly repository: SessionRepository;
};

export interface RestoreInit<Output = unknown, SentApp = unknown> extends OwnHost<Output, SentApp> {
  readonly snapshot: SessionSnapshot;
  /** See `RestoreOptions`. Default: only the messages of the snapshot are kept. */
  readonly trust?: "own";
  /** Application context of the imported session. A snapshot with `trust: "own"` keeps its own. */
  readonly app?: NoInfer<SentApp>;
}

/** Creates a session that is stored on the first send. To open a stored session, use `openSession`; to take over from other processes, `createHost`. */
export function createSession<Output = unknown, SentApp = unknown>(
  init: SessionInit<Output, SentApp>,
): Session<Output, SentApp> {
  const { agent, repository: _, clock: _clock, onError: _onError, ...origin } = init;
  const host = hostOf(init);
  // It has `app` if that is required.
  const session = host.createSession({ ...origin, agent: agent.name } as NewSession);
  // The session runs with the given agent.
  return session as Session<Output, SentApp>;
}

/** Opens the stored session with this id, or creates it; see `host.session`. */
export async function openSession<Output = unknown, SentApp = unknown>(
  init: OpenInit<Output, SentApp>,
): Promise<Session<Output, SentApp>> {
  const { agent, id, repository: _, clock: _clock, onError: _onError, ...origin } = init;
  const host = hostOf(init);
  try {
    // It has `app` if that is required.
    const session = await host.session(id, { ...origin, agent: agent.name } as SessionStart);
    return session as Session<Output, SentApp>;
  } catch (thrown) {
    await host.close();
    throw thrown;
  }
}

/** Restores a snapshot of `session.snapshot`. With `trust: "own"`, a snapshot of another agent is refused with `unknown_agent`. */
export async function restoreSession<Output = unknown, SentApp = unknown>(
  init: RestoreInit<Output, SentApp>,
): Promise<Session<Output, SentApp>> {
  const { snapshot, trust, app } = init;
  const session = await hostOf(init).restore(snapshot, trust === undefined ? { app } : { trust });
  return session as Session<Output, SentApp>;
}

function hostOf<Output, SentApp>(init: OwnHost<Output, SentApp>): Host {
  const { agent, repository = memoryRepository(), clock, onError } = init;
  const own = { ...(clock && { clock }), ...(onError && { onError }) };
  return new Host({ agents: [agent], repository, ...own }, true);
}
