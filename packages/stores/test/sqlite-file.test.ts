import { once } from "node:events";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { Claim, SessionRepository } from "@capstan/log";
import { isRepositoryError, LogError } from "@capstan/log";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { failureOf } from "./failure-of.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A file with a session of many entries, not open in any process. */
async function filled(path: string): Promise<void> {
  await using store = sqlite(path);
  await store.create("s", [created()], head());
  const { lease } = (await store.acquire("s", "first", 60_000)) as Claim;
  const entries = Array.from({ length: 500 }, (_, i) => entry(`e${i}`, "x".repeat(200)));
  await store.append("s", entries, { lease });
}

/** Failure of every call, or undefined if it succeeds. */
async function failures(store: SessionRepository): Promise<unknown[]> {
  const calls = [
    () => readIds(store, "s"),
    () => store.list(),
    () => store.post("s", entry("p")),
    () => store.acquire("s", "first", 1_000),
    () => store.claimDue({ agents: ["helper"], owner: "first", ttlMs: 1_000 }),
    () => store.delete("s"),
  ];
  const outcomes = await Promise.allSettled(calls.map(async (call) => call()));
  return outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined));
}

test("of many that open a new file at the same moment, none fails", async () => {
  using folder = temporaryFolder();
  const paths = Array.from({ length: 60 }, (_, i) => join(folder.path, `${i}.db`));
  const count = 4;
  const arrived = new Int32Array(new SharedArrayBuffer(4 * paths.length));
  const script = new URL("./open-at-once.ts", import.meta.url);
  const execArgv = ["--conditions=@capstan/source", "--no-warnings"];

  const ends = await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = new Worker(script, { workerData: { paths, count, arrived }, execArgv });
      return once(worker, "exit");
    }),
  );

  expect(ends).toEqual([[0], [0], [0], [0]]);
});

test.each(["", undefined])("a store without a path is refused: %o", async (path) => {
  // Comes from a variable that is not set.
  const failure = await failureOf(() => sqlite(path as string));

  expect(failure).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("needs the path of a file"),
  });
});

test("a file that is no database is not opened", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  writeFileSync(
    path,
    "This is a letter, and a rather long one, so that it is not taken for empty.",
  );

  const failure = await failureOf(() => sqlite(path));

  expect(failure).toMatchObject({ name: "RepositoryError", code: "unavailable" });
  expect(String(failure)).toMatch("file is not a database");
});

test("a database of another program is not opened, and stays as it is", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE pets (name TEXT)");
  other.close();
  const before = readFileSync(path);

  const failure = await failureOf(() => sqlite(path));

  expect(String(failure)).toMatch("is not a session database: choose another path");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("a database of a newer version is not opened", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  await sqlite(path).close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 99");
  database.close();

  const failure = await failureOf(() => sqlite(path));

  expect(String(failure)).toMatch("written by a newer version");
});

test("a folder that is not there is told", async () => {
  const failure = await failureOf(() => sqlite("/no/such/folder/s.db"));

  expect(failure).toMatchObject({ code: "unavailable" });
  expect(String(failure)).toMatch("/no/such/folder/s.db failed");
});

test("in a file that was damaged in the middle calls fail with a reason, and none of them ends the process", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  await filled(path);
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 8_192, bytes.length - 4_096);
  writeFileSync(path, bytes);

  await using store = sqlite(path);
  const thrown = (await failures(store)).filter((each) => each !== undefined);

  expect(thrown.length).toBeGreaterThan(0);
  expect(thrown.every((each) => isRepositoryError(each) || each instanceof LogError)).toBe(true);
});

test("an entry that is no JSON any more is named", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  await filled(path);
  const database = new DatabaseSync(path);
  database.exec("UPDATE entries SET body = '{\"half' WHERE id = 'e7'");
  database.close();

  await using store = sqlite(path);
  const failure = await failureOf(() => store.read("s"));

  expect(failure).toMatchObject({ name: "LogError", code: "corrupt_entry", seq: 9 });
  expect((await store.read("s", { limit: 8 })).entries).toHaveLength(8);
});

test("a log of writes that was cut anywhere opens with the first of them", async () => {
  using folder = temporaryFolder();
  const source = join(folder.path, "source.db");
  const store = sqlite(source);
  await store.create("s", [created()], head());
  const { lease } = (await store.acquire("s", "first", 60_000)) as Claim;
  for (const id of ["a", "b", "c", "d"]) await store.append("s", [entry(id)], { lease });
  const [main, log] = [readFileSync(source), readFileSync(`${source}-wal`)];
  await store.close();

  const cuts = Array.from({ length: 40 }, (_, i) => Math.floor((log.length * (40 - i)) / 40));
  const found = await Promise.all(cuts.map((cut) => openCut(folder.path, main, log, cut)));

  const all = ["created", "a", "b", "c", "d"];
  expect(found[0]).toEqual(all);
  expect(found).toEqual(found.map((ids) => all.slice(0, ids.length)));
});

/** The ids in what is left. */
async function openCut(folder: string, main: Buffer, log: Buffer, cut: number): Promise<string[]> {
  const path = join(folder, `${cut}.db`);
  writeFileSync(path, main);
  writeFileSync(`${path}-wal`, log);
  truncateSync(`${path}-wal`, cut);
  await using store = sqlite(path);
  const { sessions } = await store.list();
  return sessions.length === 0 ? [] : readIds(store, "s");
}

test("a file that another process keeps locked fails with a reason after the time to wait", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  await filled(path);
  await using store = sqlite(path, { busyMs: 30 });
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");

  const failure = await failureOf(() => store.post("s", entry("p")));
  const whileLocked = await store.read("s");
  other.exec("COMMIT");
  other.close();

  expect(failure).toMatchObject({ code: "unavailable", sessionId: "s" });
  expect(String(failure)).toMatch("another process holds its lock");
  expect(whileLocked.lastSeq).toBe(501);
  expect(await store.post("s", entry("p"))).toEqual({ seq: 502, isNew: true });
});
