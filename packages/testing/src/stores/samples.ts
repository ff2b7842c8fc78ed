/** The sessions, heads and entries that the store contract writes. */
import assert from "node:assert/strict";
import type { Claim, NewEntry, PostedEntry, SessionHead, SessionRepository } from "@capstan/log";
import { longMs } from "./store-case.ts";

/** Of a session at rest, which has seen all of its first entry. */
export function head(fields: Partial<SessionHead> = {}): SessionHead {
  return { status: "idle", agent: "helper", seen: 1, updatedAt: 1_000, ...fields };
}

export function created(id = "created"): NewEntry {
  return { v: 1, id, at: 1_000, type: "created", agent: "helper" };
}

/** An entry that an owner appends. */
export function owned(id: string): NewEntry {
  return { v: 1, id, at: 1_000, type: "history_cleared" };
}

/** An entry that anyone posts. */
export function posted(id: string, text = "Only indoors, please."): PostedEntry {
  const message = { role: "user", id: `message-${id}`, content: text } as const;
  return { v: 1, id, at: 1_000, type: "steer", message };
}

/** An entry that the types do not know: of a newer program, or of none. */
export function unknownEntry<Fields extends object>(fields: Fields): PostedEntry & Fields {
  const entry = { v: 99, id: "unknown", at: 1_000, type: "of_tomorrow", ...fields };
  return entry as unknown as PostedEntry & Fields;
}

/** A session with one entry. */
export async function begin(
  repository: SessionRepository,
  id: string,
  fields: Partial<SessionHead> = {},
): Promise<void> {
  await repository.create(id, [created()], head(fields));
}

/** Takes a lease that nobody else has. */
export async function own(
  repository: SessionRepository,
  id: string,
  owner = "first",
  ttlMs: number = longMs,
): Promise<Claim> {
  const claim = await repository.acquire(id, owner, ttlMs);
  assert.ok(claim, `${owner} was not given the lease of ${id}, which nobody has`);
  return claim;
}

/** A session with one entry, and its owner. */
export async function beginOwned(
  repository: SessionRepository,
  id: string,
  fields: Partial<SessionHead> = {},
): Promise<Claim> {
  await begin(repository, id, fields);
  return own(repository, id);
}
