/** What a session needs of the host that runs it. */
import type { ChatMessage, JsonValue } from "@capstan/kernel";
import type {
  EntryEnvelope,
  NewEntry,
  SessionConfig,
  SessionHead,
  SessionRepository,
} from "@capstan/log";
import { entryVersion } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import type { Clock } from "./clock.ts";
import type { SessionRuntime } from "./session-runtime.ts";

export interface SessionHost {
  readonly repository: SessionRepository;
  readonly clock: Clock;
  /** The name of this process in leases. */
  readonly owner: string;
  readonly leaseMs: number;
  newId(): string;
  /** The session is at rest and nobody here looks at it. */
  forget(sessionId: string): void;
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
): NewEntry[] {
  const envelope: EntryEnvelope = { v: entryVersion, id, at };
  const created: NewEntry = { ...envelope, type: "created", ...origin };
  if (history === undefined) return [created];
  return [created, { ...envelope, id: `${id}-2`, type: "history_loaded", messages: history }];
}

export function headOfNew(origin: SessionOrigin, at: number): SessionHead {
  const { agent, principal, history } = origin;
  const title = origin.config?.title ?? origin.title;
  return {
    status: "idle",
    agent,
    seen: history === undefined ? 1 : 2,
    updatedAt: at,
    ...(principal !== undefined && { principal }),
    ...(title !== undefined && { title }),
  };
}
