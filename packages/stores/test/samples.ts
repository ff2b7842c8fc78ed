/** Entries and heads for tests of stores. */
import assert from "node:assert/strict";
import type {
  NewEntry,
  PostedEntry,
  SessionHead,
  SessionRepository,
  StoredEntry,
} from "@capstan/log";

export function head(fields: Partial<SessionHead> = {}): SessionHead {
  return { status: "idle", agent: "helper", seen: 1, updatedAt: 1_000, ...fields };
}

/** One that may be appended or posted. */
export function entry(id: string, text = ""): NewEntry & PostedEntry {
  const message = { role: "user", id: `m-${id}`, content: text } as const;
  return { v: 1, id, at: 1_000, type: "steer", message };
}

export function created(): NewEntry {
  return { v: 1, id: "created", at: 1_000, type: "created", agent: "helper" };
}

/** The whole log, which must have no gap. */
export async function readAll(store: SessionRepository, id: string): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (;;) {
    const page = await store.read(id, { after: entries.length });
    entries.push(...page.entries);
    if (entries.length >= page.lastSeq) break;
    assert.ok(page.entries.length > 0, `no entry after ${entries.length} of ${page.lastSeq}`);
  }
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, i) => i + 1),
  );
  return entries;
}

export async function readIds(store: SessionRepository, id: string): Promise<string[]> {
  return (await readAll(store, id)).map((each) => each.id);
}
