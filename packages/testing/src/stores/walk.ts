/** Reads paged results of a store to the end. */
import assert from "node:assert/strict";
import type {
  Claim,
  DueQuery,
  ListedSession,
  ListQuery,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";

/** Returns all entries, in pages of `limit`. */
export async function readAll(
  repository: SessionRepository,
  id: string,
  limit = 1_000,
): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (;;) {
    const after = entries.at(-1)?.seq ?? 0;
    const page = await repository.read(id, { after, limit });
    assert.ok(
      page.entries.length <= limit,
      `a page of ${limit} has ${page.entries.length} entries`,
    );
    entries.push(...page.entries);
    if ((entries.at(-1)?.seq ?? 0) >= page.lastSeq) return entries;
    assert.ok(page.entries.length > 0, `no entry after ${after}, but the last is ${page.lastSeq}`);
  }
}

export async function readIds(repository: SessionRepository, id: string): Promise<string[]> {
  return (await readAll(repository, id)).map((entry) => entry.id);
}

/** Returns all sessions, page by page. Too many pages are an error, as a circular list has no end. */
export async function listAll(
  repository: SessionRepository,
  query: ListQuery = {},
): Promise<ListedSession[]> {
  const sessions: ListedSession[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page = await repository.list(after === undefined ? query : { ...query, after });
    sessions.push(...page.sessions);
    if (page.next === undefined) return sessions;
    after = page.next;
  }
  throw new Error("the list of sessions has no last page");
}

/** Claims until nothing is due, and returns the claims in order. */
export async function claimAll(repository: SessionRepository, query: DueQuery): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let calls = 0; calls < 1_000; calls += 1) {
    const given = await repository.claimDue(query);
    if (given.length === 0) return claims;
    claims.push(...given);
  }
  throw new Error("claimed sessions are still due");
}

export function claimedIds(claims: readonly Claim[]): string[] {
  return claims.map((claim) => claim.lease.sessionId).sort();
}

/** Returns the ids of one page from the checkpoint on. */
export async function idsFromCheckpoint(
  repository: SessionRepository,
  id: string,
  limit?: number,
): Promise<string[]> {
  const options = { fromCheckpoint: true, ...(limit !== undefined && { limit }) };
  const { entries } = await repository.read(id, options);
  return entries.map((entry) => entry.id);
}
