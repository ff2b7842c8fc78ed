/** What a session needs of the host that runs it. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type { Claim, Entry, SessionConfig, SessionHead, SessionRepository } from "@capstan/log";
import { entryVersion } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../platform/clock.ts";
import type { HostFault } from "../host/host-fault.ts";
import type { Renewals } from "../owner/renewals.ts";
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { Slot } from "../host/slots.ts";
import type { Solitary } from "../owner/solitary.ts";

export interface SessionHost {
  readonly repository: SessionRepository;
  readonly clock: Clock;
  /** The name of this process in leases. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Resumes of a turn that does not get further. */
  readonly maxResumes: number;
  readonly solitary: Solitary;
  readonly renewals: Renewals;
  /** Takes what no caller hears of. Never throws. */
  report(fault: HostFault): void;
  /** A session was set aside here. */
  onSetAside(): void;
  newId(): string;
  /** Lets go of the session in this process. */
  leave(runtime: SessionRuntime): Promise<void>;
  /** Forgets a session that is at rest and unused here, or gone. Another one of its id stays known. */
  forget(runtime: SessionRuntime): void;
  /** Works under a lease of a session that is another one than it was here before. */
  adopt(claim: Claim, askedAt: number, slot?: Slot): void;
  /** Fails with `unknown_agent`. */
  agent(name: string): Agent;
  /** Fails with `not_found` and `unknown_agent`. */
  open(sessionId: string): Promise<SessionRuntime>;
}

/** What a session is created with. */
export interface SessionOrigin {
  readonly agent: string;
  readonly principal?: string;
  readonly title?: string;
  readonly metadata?: JsonValue;
  readonly config?: SessionConfig;
  /** What was said before. */
  readonly history?: readonly ChatMessage[];
}

export function firstEntries(
  { history, ...origin }: SessionOrigin,
  id: string,
  at: number,
): Entry[] {
  // The id is as random as the incarnation has to be, and stays the same when the creation is tried again.
  const incarnation = id;
  const created: Entry = {
    v: entryVersion,
    type: "created",
    id,
    seq: 1,
    at,
    incarnation,
    ...origin,
  };
  if (history === undefined) return [created];
  const { v } = created;
  const loaded = {
    v,
    type: "history_loaded",
    id: `${id}-2`,
    seq: 2,
    at,
    messages: history,
  } as const;
  return [created, loaded];
}

export function headOfNew(origin: SessionOrigin, incarnation: string, at: number): SessionHead {
  const { agent, principal, history } = origin;
  const title = origin.config?.title ?? origin.title;
  return {
    status: "idle",
    agent,
    incarnation,
    seen: history === undefined ? 1 : 2,
    updatedAt: at,
    ...(principal !== undefined && { principal }),
    ...(title !== undefined && { title }),
  };
}
