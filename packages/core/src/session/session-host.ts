/** The interface through which a session uses the host that runs it. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type {
  Claim,
  Entry,
  MaybePromise,
  ParentCall,
  SessionConfig,
  SessionHead,
  SessionRepository,
} from "@capstan/log";
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
  /** Name of this process in leases. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Whether its only session ends with its turn. */
  readonly isPassing: boolean;
  /** Whether sessions are opened without the messages that a summary replaces. */
  readonly isContextOnly: boolean;
  /** Number of entries from which on a checkpoint is worth it. */
  readonly checkpointAfter: number;
  /** Number of times a turn that makes no progress is resumed. */
  readonly maxResumes: number;
  readonly solitary: Solitary;
  readonly renewals: Renewals;
  /** Reports faults that reach no caller. Never throws. */
  report(fault: HostFault): void;
  /** Called when a session was set aside in this process. */
  onSetAside(): void;
  newId(): string;
  /** Releases the session in this process. */
  leave(runtime: SessionRuntime): Promise<void>;
  /** Drops a session that is idle and unused here, or gone. A different session with the same id stays known. */
  forget(runtime: SessionRuntime): void;
  /** Works under a lease whose session is not the one this process knew under that id. */
  adopt(claim: Claim, askedAt: number, slot?: Slot): void;
  /** Throws `unknown_agent`. */
  agent(name: string): Agent;
  /** Lets hosts work on a session that was set aside. Resolves with false if it is not, or another host holds it. */
  release(sessionId: string): Promise<boolean>;
  /** Rejects with `not_found` and `unknown_agent`. */
  open(sessionId: string): Promise<SessionRuntime>;
  /** Opens a child session, or creates it, for a parent that has no handle of it. Rejects with `unknown_agent`. */
  openChild(
    sessionId: string,
    origin: SessionOrigin,
    start?: RecordedStart,
  ): Promise<FollowedSession>;
  /** Keeps a session in memory while `work` runs. Rejects with `not_found` and `unknown_agent`. */
  use<T>(sessionId: string, work: (runtime: SessionRuntime) => Promise<T>): Promise<T>;
  /** Opens a session for a reader without a handle. Undefined if it is not stored. Rejects with `unknown_agent`. */
  follow(sessionId: string): Promise<FollowedSession | undefined>;
  /** Whether a caller in this process is about to open or create the session. */
  isOpening(sessionId: string): boolean;
  /** Looks for work soon, because something was posted to this session. */
  lookForWork(sessionId: string, seq: number): void;
}

/** Start of a session that another log names first. */
export interface RecordedStart {
  /** Records the start, before the session is opened or created. Readers that see the record wait for the session. */
  record(): MaybePromise<unknown>;
  /** Whether no session with this id was created before. */
  readonly isNew: boolean;
}

/** A session that is kept in memory without a handle. */
export interface FollowedSession {
  readonly runtime: SessionRuntime;
  /** Must be called when it is no longer needed. */
  release(): void;
}

/** Values a session is created with. */
export interface SessionOrigin {
  readonly agent: string;
  readonly principal?: string;
  readonly title?: string;
  readonly metadata?: JsonValue;
  /** Application context of its turns, as it was given. */
  readonly app?: JsonValue;
  readonly config?: SessionConfig;
  /** Messages from before the session was created. */
  readonly history?: readonly ChatMessage[];
  /** Set for a child session. */
  readonly parent?: ParentCall;
}

export function firstEntries(
  { history, ...origin }: SessionOrigin,
  id: string,
  at: number,
): Entry[] {
  // The id is as random as the incarnation has to be, and stays the same when the creation is retried.
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
