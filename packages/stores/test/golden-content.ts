/** Content of the golden stores, and what must be found in them. */
import type { Claim, SessionRepository, StoredEntry } from "@capstan/log";
import { created, entry, head, readAll } from "./samples.ts";

const strangeId = "a\u0000b/\\ \uD83D 🙂";
/** Name of the bytes below. */
const ref = "7728ae2f2c36e2aaafbe79ca14c87ae2f89e7c88c4390ecbbf82dce88706958d";
const bytes = Uint8Array.from({ length: 300 }, (_, i) => i & 255);

/** To be called once for each version of a store: the result is kept for ever. */
export async function fillGolden(store: SessionRepository): Promise<void> {
  await store.create("gone", [created()], head());
  await store.acquire("gone", "first", 1_000);
  await store.delete("gone");
  await store.create(strangeId, [created()], head({ agent: "ä\u0000", principal: "o'brien" }));
  await store.create("s", [created()], head({ status: "running", title: 'A "title"\n🙂' }));
  const { lease } = (await store.acquire("s", "first", 1_000)) as Claim;
  await store.putBlob("s", bytes);
  await store.append("s", [entry("e1", "one\u0000\u2028two"), entry("e2")], { lease });
  await store.post("s", entry(strangeId, "posted"));
  const options = { lease, head: head({ status: "running", seen: 3, updatedAt: 2_000.5 }) };
  await store.append("s", [entry("e3", "x".repeat(10_000))], options);
}

export interface GoldenFindings {
  readonly list: unknown;
  readonly entries: readonly StoredEntry[];
  readonly strange: readonly StoredEntry[];
  readonly again: unknown;
  readonly blob: readonly number[];
  readonly claims: unknown;
  readonly anew: unknown;
}

/** Looks at all of it, and goes on with it. */
export async function lookAtGolden(store: SessionRepository): Promise<GoldenFindings> {
  const list = await store.list();
  await store.create("gone", [], head());
  return {
    list,
    entries: await readAll(store, "s"),
    strange: await readAll(store, strangeId),
    again: await store.post("s", entry(strangeId)),
    blob: [...((await store.getBlob("s", ref)) ?? [])],
    claims: await store.claimDue({ agents: ["helper"], owner: "next", ttlMs: 1_000 }),
    anew: await store.acquire("gone", "next", 1_000),
  };
}
