import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LogError } from "@capstan/log";
import { fs } from "@capstan/stores/fs";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { failureOf } from "./failure-of.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const secret = "the quick brown fox";

function open(kind: string, folder: string) {
  return kind === "fs" ? fs(folder) : sqlite(join(folder, "s.db"));
}

/** A session of three entries, the second of which has the text. Gives the file that holds it. */
async function filled(kind: string, folder: string): Promise<string> {
  await using store = open(kind, folder);
  await store.create("s", [created()], head());
  await store.post("s", entry("a", secret));
  await store.post("s", entry("b"));
  return join(folder, globSync(["sessions/s.*/log.jsonl", "s.db"], { cwd: folder })[0] ?? "");
}

function flip(path: string, at: number, bit: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
}

test.each(["fs", "sqlite"])("%s: a flipped bit in a text is noticed", async (kind) => {
  using folder = temporaryFolder();
  const path = await filled(kind, folder.path);
  flip(path, readFileSync(path).indexOf("brown"), 0);

  await using store = open(kind, folder.path);
  const failure = await failureOf(() => store.read("s"));

  expect(failure).toBeInstanceOf(LogError);
  expect(failure).toMatchObject({ code: "corrupt_entry", seq: 2 });
  expect(String(failure)).toContain("Entry 2 does not match its checksum");
  expect((await store.read("s", { after: 2 })).entries).toMatchObject([{ id: "b" }]);
});

test("fs: a flipped bit anywhere in an entry is noticed, and named", async () => {
  using folder = temporaryFolder();
  const path = await filled("fs", folder.path);
  const whole = readFileSync(path);
  const from = whole.indexOf('{"v":1,"id":"a"');
  const places = Array.from({ length: whole.indexOf("\n", from) - from }, (_, i) => from + i);

  const found: unknown[] = [];
  for (const at of places) {
    // Every second bit makes another character that is no line break.
    flip(path, at, at % 2 === 0 ? 0 : 5);
    await using store = fs(folder.path);
    found.push(await failureOf(() => store.read("s")));
    writeFileSync(path, whole);
  }

  expect(found).toEqual(places.map(() => expect.objectContaining({ name: "LogError", seq: 2 })));
});

test("fs: a flipped bit in what the log says of its session is noticed", async () => {
  using folder = temporaryFolder();
  const path = await filled("fs", folder.path);
  const bytes = readFileSync(path);
  flip(path, bytes.lastIndexOf('"agent":"helper"') + 12, 0);

  await using store = fs(folder.path);

  expect(await failureOf(() => store.read("s"))).toMatchObject({ code: "unavailable" });
});

test("entries without a checksum, from older programs, are taken as they are", async () => {
  using folder = temporaryFolder();
  const path = await filled("sqlite", folder.path);
  const database = new DatabaseSync(path);
  database.exec("UPDATE entries SET checksum = NULL");
  database.close();

  await using store = sqlite(path);
  await store.post("s", entry("c"));

  expect(await readIds(store, "s")).toEqual(["created", "a", "b", "c"]);
});

test.each([
  [undefined, false],
  [true, false],
  [false, true],
])("with secureDelete %s, a deleted text is found in the file: %s", async (secureDelete, found) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "s.db");
  const store = sqlite(path, secureDelete === undefined ? {} : { secureDelete });
  await store.create("s", [created()], head({ title: secret }));
  await store.post("s", entry("a", secret.repeat(1_000)));
  await store.create("other", [created()], head());
  await store.putBlob("s", Buffer.from(secret));

  await store.delete("s");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();

  const files = globSync("s.db*", { cwd: folder.path });
  const bytes = files.map((file) => readFileSync(join(folder.path, file)));
  expect(bytes.some((each) => each.includes(secret))).toBe(found);
  await store.close();
});
