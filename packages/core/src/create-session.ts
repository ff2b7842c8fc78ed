/** A session with a host of its own, for programs that need only one. */
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import type { Clock } from "./clock.ts";
import { Host } from "./host.ts";
import type { Session } from "./session.ts";
import type { SessionOrigin } from "./session-host.ts";

export interface SessionInit extends Omit<SessionOrigin, "agent"> {
  readonly agent: Agent;
  /** Default one in memory. */
  readonly repository?: SessionRepository;
  /** Default random. */
  readonly id?: string;
  readonly clock?: Clock;
}

/** Stored at the first send. To go on with one that is stored, or to take over from other processes, use `createHost`. */
export function createSession(init: SessionInit): Session {
  const { agent, repository = memoryRepository(), clock, ...origin } = init;
  const host = new Host({ agents: [agent], repository, ...(clock && { clock }) });
  return host.createSession({ ...origin, agent: agent.name });
}
