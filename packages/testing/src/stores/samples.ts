/** Sessions, heads and entries that the store contract writes. */
import assert from "node:assert/strict";
import type {
  Claim,
  DueQuery,
  NewEntry,
  PostedEntry,
  SessionHead,
  SessionRepository,
} from "@capstan/log";
import { longMs } from "./store-case.ts";

/** Head of an idle session that has seen its first entry. */
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

/** An entry that any process may post. */
export function posted(id: string, text = "Only indoors, please."): PostedEntry {
  const message = { role: "user", id: `message-${id}`, content: text } as const;
  return { v: 1, id, at: 1_000, type: "steer", message };
}

/** An entry of an unknown type, perhaps of a newer program. */
export function unknownEntry<Fields extends object>(fields: Fields): PostedEntry & Fields {
  const entry = { v: 99, id: "unknown", at: 1_000, type: "of_tomorrow", ...fields };
  return entry as unknown as PostedEntry & Fields;
}

/** Creates a session with one entry. */
export async function begin(
  repository: SessionRepository,
  id: string,
  fields: Partial<SessionHead> = {},
): Promise<void> {
  await repository.create(id, [created()], head(fields));
}

/** Acquires a free lease. */
export async function own(
  repository: SessionRepository,
  id: string,
  owner = "first",
  ttlMs: number = longMs,
): Promise<Claim> {
  const claim = await repository.acquire(id, owner, ttlMs);
  assert.ok(claim, `${owner} did not get the free lease of ${id}`);
  return claim;
}

/** Creates a session with one entry, and acquires it. */
export async function beginOwned(
  repository: SessionRepository,
  id: string,
  fields: Partial<SessionHead> = {},
): Promise<Claim> {
  await begin(repository, id, fields);
  return own(repository, id);
}

/** Asks for due sessions of the sample agent. */
export function claimsOf(owner: string, fields: Partial<DueQuery> = {}): DueQuery {
  return { agents: ["helper"], owner, ttlMs: longMs, ...fields };
}

/** Creates sessions whose turn is unfinished. Returns their ids in order. */
export async function beginRunning(
  repository: SessionRepository,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `s${String(i).padStart(3, "0")}`);
  await Promise.all(ids.map(async (id) => begin(repository, id, { status: "running" })));
  return ids;
}
