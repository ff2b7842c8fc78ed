import { globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "@capstan/log";
import { isPromise } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/fs";
import { fs } from "@capstan/stores/fs";
import { expect, test } from "vitest";
import { ownIdentity } from "../src/watch/process-identity.ts";
import { failureOf } from "./failure-of.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Sessions "s" and "t", of which the first is locked by a living process. Gives the way to unlock it. */
async function held(store: StoreHandle, folder: string): Promise<() => void> {
  await store.create("s", [created()], head({ status: "running" }));
  await store.create("t", [created()], head({ status: "running" }));
  const lock = join(folder, globSync("sessions/s.*", { cwd: folder })[0] ?? "", "lock");
  writeFileSync(lock, ownIdentity());
  return () => rmSync(lock);
}

function sessionsOf(claims: readonly Claim[]): string[] {
  return claims.map(({ lease }) => lease.sessionId);
}

test("a write to a session that another process has locked waits, and other sessions go on", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path);
  const unlock = await held(store, folder.path);

  const waiting = store.post("s", entry("late"));
  const other = store.post("t", entry("now"));

  expect(isPromise(waiting)).toBe(true);
  expect(other).toEqual({ seq: 2, isNew: true });
  unlock();
  expect(await waiting).toEqual({ seq: 2, isNew: true });
});

test("writes that wait for a lock are made in the order of their calls", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path);
  const unlock = await held(store, folder.path);
  const ids = Array.from({ length: 10 }, (_, i) => `p${i}`);

  const waiting = ids.map(async (id) => store.post("s", entry(id)));
  unlock();
  const late = store.post("s", entry("last"));
  await Promise.all(waiting);
  await late;

  expect(await readIds(store, "s")).toEqual(["created", ...ids, "last"]);
});

test("a session that is locked is not claimed, and those after it are", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path);
  const unlock = await held(store, folder.path);
  const query = { agents: ["helper"], owner: "first", ttlMs: 60_000 };

  const claims = await store.claimDue(query);
  unlock();
  const later = await store.claimDue(query);

  expect([sessionsOf(claims), sessionsOf(later)]).toEqual([["t"], ["s"]]);
});

test("every call that waits in vain fails with a reason, and none of them writes", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path, { busyMs: 20 });
  const unlock = await held(store, folder.path);

  const failures = await Promise.all([
    failureOf(() => store.post("s", entry("a"))),
    failureOf(() => store.acquire("s", "first", 1_000)),
    failureOf(() => store.delete("s")),
    failureOf(() => store.putBlob("s", new Uint8Array(1), { incarnation: "created" })),
  ]);
  unlock();

  const reason = expect.stringContaining("is locked by another process");
  expect(failures).toEqual(
    failures.map(() => expect.objectContaining({ code: "unavailable", message: reason })),
  );
  expect(await readIds(store, "s")).toEqual(["created"]);
});
