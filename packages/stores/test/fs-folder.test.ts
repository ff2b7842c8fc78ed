import {
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Claim } from "@capstan/log";
import { fs } from "@capstan/stores/fs";
import { expect, test } from "vitest";
import { ownIdentity } from "../src/watch/process-identity.ts";
import { failureOf } from "./failure-of.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function logIn(folder: string): string {
  return join(folder, globSync("sessions/s.*/log.jsonl", { cwd: folder })[0] ?? "");
}

/** A session of two writes, the second of two entries; with how many bytes its log had before the last. */
async function twoWrites(folder: string): Promise<number> {
  await using store = fs(folder);
  await store.create("s", [created()], head());
  const { lease } = (await store.acquire("s", "first", 60_000)) as Claim;
  await store.append("s", [entry("a"), entry("b")], { lease });
  const before = readFileSync(logIn(folder)).length;
  await store.append("s", [entry("c"), entry("d")], { lease, head: head({ title: "new" }) });
  return before;
}

/** The ids that a reader finds when the file has only this, and those after them when a writer has come; the file is whole then. */
async function openCut(folder: string, bytes: Buffer): Promise<[string[], string[]]> {
  writeFileSync(logIn(folder), bytes);
  await using reader = fs(folder);
  const found = await readIds(reader, "s");
  await using writer = fs(folder);
  await writer.post("s", entry("p"));
  const lines = readFileSync(logIn(folder), "utf8").trimEnd().split("\n");
  lines.forEach((line) => JSON.parse(line));
  return [found, (await readIds(reader, "s")).slice(found.length)];
}

test.each(["", undefined])("a store without a folder is refused: %o", async (folder) => {
  // Comes from a variable that is not set.
  const failure = await failureOf(() => fs(folder as string));

  expect(failure).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("needs the path of a folder"),
  });
});

test("a log is lines of JSON that people can read, and each entry is one of them", async () => {
  using folder = temporaryFolder();
  await twoWrites(folder.path);

  const lines = readFileSync(logIn(folder.path), "utf8").trimEnd().split("\n");

  const entries = lines.map((line) => JSON.parse(line)).filter((line) => !Array.isArray(line));
  expect(entries).toEqual([created(), ...["a", "b", "c", "d"].map((id) => entry(id))]);
});

test("a last write that was cut anywhere is as if it had not been made, for readers and for the next writer", async () => {
  using folder = temporaryFolder();
  const before = await twoWrites(folder.path);
  const bytes = readFileSync(logIn(folder.path));
  const cuts = Array.from({ length: bytes.length - before }, (_, i) => before + i);

  const found: unknown[] = [];
  for (const cut of cuts) found.push(await openCut(folder.path, bytes.subarray(0, cut)));

  expect(found).toEqual(cuts.map(() => [["created", "a", "b"], ["p"]]));
});

test("a tail of zeros, as a loss of power leaves it, is passed over and cut off", async () => {
  using folder = temporaryFolder();
  await twoWrites(folder.path);
  const bytes = readFileSync(logIn(folder.path));

  const found = await openCut(folder.path, Buffer.concat([bytes, Buffer.alloc(5_000)]));

  expect(found).toEqual([["created", "a", "b", "c", "d"], ["p"]]);
});

test("an entry that is no JSON any more is named, and the other sessions are listed all the same", async () => {
  using folder = temporaryFolder();
  await twoWrites(folder.path);
  const text = readFileSync(logIn(folder.path), "utf8");
  writeFileSync(logIn(folder.path), text.replace('"id":"b"', '"id":+b+'));
  await using store = fs(folder.path);
  await store.create("other", [created()], head({ updatedAt: 2_000 }));

  const failure = await failureOf(() => store.read("s"));

  expect(failure).toMatchObject({ name: "LogError", code: "corrupt_entry", seq: 3 });
  expect((await store.list()).sessions.map(({ id }) => id)).toEqual(["other", "s"]);
});

test("a log without its lines of state is damaged, and the other sessions are listed all the same", async () => {
  using folder = temporaryFolder();
  await twoWrites(folder.path);
  const text = readFileSync(logIn(folder.path), "utf8");
  writeFileSync(logIn(folder.path), text.replaceAll('["state"', '["stale"'));
  await using store = fs(folder.path);
  await store.create("other", [created()], head());

  const failure = await failureOf(() => store.read("s"));

  expect(failure).toMatchObject({ name: "RepositoryError", code: "unavailable" });
  expect(String(failure)).toMatch("is damaged");
  expect((await store.list()).sessions.map(({ id }) => id)).toEqual(["other"]);
});

test("a lock that a dead process has left is taken over at once", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path);
  await store.create("s", [created()], head());
  const dead = join(folder.path, "dead");
  writeFileSync(dead, ownIdentity().replace(/"start":"\d+"/, '"start":"1"'));
  const lock = join(logIn(folder.path), "..", "lock");
  linkSync(dead, lock);
  linkSync(dead, `${lock}~`);

  await store.post("s", entry("p"));

  expect(await readIds(store, "s")).toEqual(["created", "p"]);
  expect([existsSync(lock), existsSync(`${lock}~`)]).toEqual([false, false]);
});

test("a lock that a living process holds is waited for, and then the write fails with a reason", async () => {
  using folder = temporaryFolder();
  await using store = fs(folder.path, { busyMs: 30 });
  await store.create("s", [created()], head());
  const lock = join(logIn(folder.path), "..", "lock");
  writeFileSync(lock, ownIdentity());

  const failure = await failureOf(() => store.post("s", entry("p")));

  expect(failure).toMatchObject({ name: "RepositoryError", code: "unavailable" });
  expect(String(failure)).toMatch("lock is locked by another process");
  expect(await readIds(store, "s")).toEqual(["created"]);
});

test("what dead processes have left is tidied up by the next that opens the folder", async () => {
  using folder = temporaryFolder();
  await fs(folder.path).close();
  const dead = ownIdentity().replace(/"start":"\d+"/, '"start":"1"');
  writeFileSync(join(folder.path, "processes", "dead"), dead);
  mkdirSync(join(folder.path, "sessions", "~young"));

  await fs(folder.path).close();

  expect(readdirSync(join(folder.path, "processes"))).toEqual([]);
  expect(readdirSync(join(folder.path, "sessions"))).toEqual(["~young"]);
});

test("a folder of a newer version is not opened", async () => {
  using folder = temporaryFolder();
  await fs(folder.path).close();
  writeFileSync(join(folder.path, "capstan.json"), '{"store":"fs","version":99}');

  const failure = await failureOf(() => fs(folder.path));

  expect(String(failure)).toMatch("written by a newer version");
});

test("a folder that was removed fails who writes to it, and with a reason", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inner");
  await using store = fs(path);
  await store.create("s", [created()], head());
  folder[Symbol.dispose]();

  expect(await failureOf(() => store.post("s", entry("p")))).toMatchObject({ code: "not_found" });
  expect(await failureOf(() => store.create("t", [], head()))).toMatchObject({
    code: "unavailable",
  });
  expect(await failureOf(() => store.list())).toMatchObject({ code: "unavailable" });
});
