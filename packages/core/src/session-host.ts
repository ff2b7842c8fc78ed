/** What a session needs of the host that runs it. */
import type { JsonValue } from "@capstan/kernel";
import type { EntryOf, NewEntry, SessionHead, SessionRepository } from "@capstan/log";
import { entryVersion } from "@capstan/log";
import type { Agent } from "./agent/agent.ts";
import type { Clock } from "./clock.ts";

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
}

/** What a session is created with. */
export interface SessionOrigin {
  readonly agent: string;
  readonly principal?: string;
  readonly title?: string;
  readonly metadata?: JsonValue;
}

export function createdEntry(origin: SessionOrigin, id: string, at: number): NewEntry {
  const body: Omit<EntryOf<"created">, "v" | "id" | "at" | "seq"> = { type: "created", ...origin };
  return { v: entryVersion, id, at, ...body };
}

export function headOfNew(origin: SessionOrigin, at: number): SessionHead {
  const { agent, principal, title } = origin;
  return {
    status: "idle",
    agent,
    seen: 0,
    updatedAt: at,
    ...(principal !== undefined && { principal }),
    ...(title !== undefined && { title }),
  };
}
