import { cpSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fs } from "@capstan/stores/fs";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { fillGolden, lookAtGolden } from "./golden-content.ts";
import { entry } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const golden = join(import.meta.dirname, "golden");
const expected: unknown = JSON.parse(readFileSync(join(golden, "expected.json"), "utf8"));
/** Their leases are over. */
const now = (): number => 10_000;

test.each(globSync("sqlite-v*.db", { cwd: golden }))(
  "%s is opened today as it always was",
  async (file) => {
    using folder = temporaryFolder();
    const path = join(folder.path, file);
    cpSync(join(golden, file), path);

    await using store = sqlite(path, { now });

    expect(JSON.parse(JSON.stringify(await lookAtGolden(store)))).toEqual(expected);
  },
);

test.each(globSync("fs-v*", { cwd: golden }))(
  "%s is opened today as it always was",
  async (name) => {
    using folder = temporaryFolder();
    const path = join(folder.path, name);
    cpSync(join(golden, name), path, { recursive: true });

    await using store = fs(path, { now });

    expect(JSON.parse(JSON.stringify(await lookAtGolden(store)))).toEqual(expected);
  },
);

test.each([
  ["sqlite-v1.db", (path: string) => sqlite(path, { now })],
  ["fs-v1", (path: string) => fs(path, { now })],
])("the sessions of %s are told from others by their first entries", async (name, open) => {
  using folder = temporaryFolder();
  const path = join(folder.path, name);
  cpSync(join(golden, name), path, { recursive: true });

  await using store = open(path);

  const { incarnation } = await store.read("s", { after: 2 });
  expect(incarnation).toBe("created");
  const stale = async () => store.post("s", entry("late"), { incarnation: "another" });
  await expect(stale()).rejects.toMatchObject({ code: "not_found" });
});

test.each([
  ["sqlite", (folder: string, clock: () => number) => sqlite(`${folder}/s.db`, { now: clock })],
  ["fs", (folder: string, clock: () => number) => fs(folder, { now: clock })],
])("a store that %s writes today has the same in it", async (_, open) => {
  using folder = temporaryFolder();
  const written = open(folder.path, () => 5_000);
  await fillGolden(written);
  await written.close();

  await using store = open(folder.path, now);

  expect(JSON.parse(JSON.stringify(await lookAtGolden(store)))).toEqual(expected);
});
