/** Sessions move between databases, and nothing of them is lost if that is interrupted, or done while they are in use. */
import type { NewEntry, PostedEntry } from "@capstan/log";
import { afterEach, beforeEach, expect, test } from "vitest";
import { moveAll } from "../src/shards/move-sessions.ts";
import { shardOf } from "../src/shards/rendezvous.ts";
import type { GatedShard } from "./gated-shard.ts";
import { gatedShard } from "./gated-shard.ts";
import { created, entry, head, readAll, readIds } from "./samples.ts";

let from: readonly GatedShard[] = [];
let to: readonly GatedShard[] = [];
/** Where the session of these tests is, and where it belongs after the change. */
let old: GatedShard;
let next: GatedShard;
/** Moves from `old` to `next`. */
let id = "";

beforeEach(() => {
  from = ["a", "b"].map(gatedShard);
  next = gatedShard("c");
  to = [...from, next];
  const ids = Array.from({ length: 20 }, (_, n) => `s${n}`);
  id = ids.find((each) => shardOf(to, each) === next) ?? "";
  old = shardOf(from, id);
});

afterEach(async () => {
  for (const { inside } of to) await inside.close();
});

/** A session whose owner has written an entry, between two that were posted. */
async function fill(): Promise<void> {
  await old.inside.create(id, [begun()], head({ updatedAt: 5 }));
  await old.inside.post(id, entry("p1", "Hello"));
  const claim = await old.inside.acquire(id, "owner", 60_000);
  if (claim === undefined) throw new Error("the session has an owner");
  const { lease } = claim;
  const owned = [prompt(`${lease.epoch}~1`), checkpoint(`${lease.epoch}~2`)];
  await old.inside.append(id, owned, { lease });
  await old.inside.release(lease);
  await old.inside.post(id, entry("p2", "Again"));
}

function begun(at = 1_000): NewEntry {
  return { ...created(), at };
}

function prompt(entryId: string, at = 1_000): NewEntry {
  return { v: 1, id: entryId, at, type: "prompt", turnId: "t1", toolsHash: "none" };
}

/** Copies leave it out. */
function checkpoint(entryId: string): NewEntry {
  return {
    v: 1,
    id: entryId,
    at: 1_000,
    type: "checkpoint",
    state: { version: 0, seq: 3, cursor: { seq: 3, n: 0 } },
  };
}

function move(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
  return moveAll({ from, to, patienceMs: 0, ...options });
}

test("a session moves with all its entries and its age, and is nowhere else", async () => {
  await fill();

  const moved = await move();

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toEqual(["created", "p1", "0~3", "p2"]);
  const { sessions } = await next.inside.list();
  expect(sessions.map((session) => session.head.updatedAt)).toEqual([5]);
  await expect(readAll(old.inside, id)).rejects.toMatchObject({ code: "not_found" });
});

test("sessions that stay are not touched", async () => {
  const staying = Array.from({ length: 20 }, (_, n) => `s${n}`).filter(
    (each) => shardOf(to, each) === shardOf(from, each),
  );
  for (const each of staying) await shardOf(from, each).inside.create(each, [created()], head());

  const moved = await move();

  expect(moved).toBe(0);
  for (const each of staying) {
    expect(await readIds(shardOf(from, each).inside, each)).toEqual(["created"]);
  }
});

test("a session with a live lease is refused, and stays as it is", async () => {
  await fill();
  await old.inside.acquire(id, "host", 60_000);

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "unavailable", sessionId: id });
  expect(await readIds(old.inside, id)).toHaveLength(5);
  await expect(readAll(next.inside, id)).rejects.toMatchObject({ code: "not_found" });
});

test("a lease that ends soon is waited for", async () => {
  await fill();
  await old.inside.acquire(id, "killed", 300);

  const moved = await moveAll({ from, to, patienceMs: 60_000 });

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toHaveLength(4);
});

test("a session whose lease is lost while it is copied stays where it is", async () => {
  await fill();
  old.refused = "renew";

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "unavailable" });
  expect(await readIds(old.inside, id)).toHaveLength(5);
});

test("a session that takes long to copy is kept away from hosts", async () => {
  await fill();
  next.gate = "closed";

  const moving = move();
  await waitForCall(old, "renew");
  const others = await old.inside.acquire(id, "host", 60_000);
  next.open();

  expect(others).toBeUndefined();
  expect(await moving).toBe(1);
});

test("what is posted while a session is copied is moved by the next attempt", async () => {
  await fill();
  next.gate = "closed";
  const moving = move();
  await waitForCall(next, "read");
  await old.inside.post(id, entry("late", "Wait"));
  next.open();
  await expect(moving).rejects.toMatchObject({ code: "unavailable", sessionId: id });

  const moved = await move();

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toEqual(["created", "p1", "0~3", "p2", "late"]);
});

test("a move that failed after the copy is completed by the next one", async () => {
  await fill();
  old.refused = "delete";
  await expect(move()).rejects.toMatchObject({ code: "unavailable" });
  old.refused = undefined;

  const moved = await move();

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toEqual(["created", "p1", "0~3", "p2"]);
  await expect(readAll(old.inside, id)).rejects.toMatchObject({ code: "not_found" });
});

test("a copy that has only its first entry is made again", async () => {
  await fill();
  await next.inside.create(id, [begun()], head());

  const moved = await move();

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toEqual(["created", "p1", "0~3", "p2"]);
});

test("what was added to a copy before the move was completed is kept", async () => {
  await fill();
  old.refused = "delete";
  await expect(move()).rejects.toMatchObject({ code: "unavailable" });
  old.refused = undefined;
  await next.inside.post(id, entry("p3", "Here"));

  const moved = await move();

  expect(moved).toBe(1);
  expect(await readIds(next.inside, id)).toEqual(["created", "p1", "0~3", "p2", "p3"]);
});

test("a session that was continued in both databases is refused, and both stay as they are", async () => {
  await fill();
  old.refused = "delete";
  await expect(move()).rejects.toMatchObject({ code: "unavailable" });
  old.refused = undefined;
  await next.inside.post(id, entry("here", "Here"));
  await old.inside.post(id, entry("there", "There"));

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "exists", sessionId: id });
  expect(await readIds(old.inside, id)).toContain("there");
  expect(await readIds(next.inside, id)).toContain("here");
});

test("a move that was interrupted can be taken back", async () => {
  await fill();
  old.refused = "delete";
  await expect(move()).rejects.toMatchObject({ code: "unavailable" });
  old.refused = undefined;

  const moved = await moveAll({ from: to, to: from, patienceMs: 0 });

  expect(moved).toBe(1);
  expect(await readIds(old.inside, id)).toHaveLength(5);
  await expect(readAll(next.inside, id)).rejects.toMatchObject({ code: "not_found" });
});

test("a copy that a host has continued by itself is refused, even if its entries have known ids", async () => {
  await fill();
  old.refused = "delete";
  await expect(move()).rejects.toMatchObject({ code: "unavailable" });
  old.refused = undefined;
  const claim = await next.inside.acquire(id, "host", 60_000);
  if (claim === undefined) throw new Error("the session has an owner");
  const { lease } = claim;
  await next.inside.append(id, [prompt(`${lease.epoch}~1`, 2_000)], { lease });
  await next.inside.release(lease);
  await old.inside.post(id, entry("p3", "Here"));

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "exists", sessionId: id });
  expect(await readAll(next.inside, id)).toHaveLength(5);
});

test("a session that was begun anew under the same id is refused", async () => {
  await fill();
  await next.inside.create(id, [begun(2_000)], head());
  await next.inside.post(id, entry("new", "New"));

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "exists", sessionId: id });
  expect(await readIds(next.inside, id)).toEqual(["created", "new"]);
});

test("a session that was begun anew is refused also if nothing was posted in the original", async () => {
  await old.inside.create(id, [begun()], head());
  await next.inside.create(id, [begun(2_000)], head());
  await next.inside.post(id, entry("new", "New"));

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "exists", sessionId: id });
});

test("a database that is away is an error, and no session of it is left out", async () => {
  await fill();
  old.gate = "away";

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "unavailable" });
});

test("a damaged session is named, and stays where it is", async () => {
  const damaged = { ...entry("p1"), message: "not a message" } as unknown as PostedEntry;
  await old.inside.create(id, [begun()], head());
  await old.inside.post(id, damaged);

  const moving = move();

  await expect(moving).rejects.toMatchObject({ code: "invalid_entry", sessionId: id });
  expect(await readIds(old.inside, id)).toEqual(["created", "p1"]);
});

test("a signal stops between two sessions", async () => {
  await fill();
  const reason = new Error("enough");

  const moving = move({ signal: AbortSignal.abort(reason) });

  await expect(moving).rejects.toBe(reason);
  expect(await readIds(old.inside, id)).toHaveLength(5);
});

async function waitForCall(shard: GatedShard, name: string): Promise<void> {
  while (!shard.calls.includes(name)) await new Promise((resolve) => setImmediate(resolve));
}
