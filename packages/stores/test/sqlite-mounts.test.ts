import { once } from "node:events";
import { join } from "node:path";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { checkMount } from "../src/sqlite/shared-mount.ts";
import { failureOf } from "./failure-of.ts";
import { created, entry, head } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test.each([
  ["NFS", 0x6969],
  ["CIFS", 0xff534d42],
  ["9p", 0x01021997],
  ["FUSE", 0x65735546],
])("a database on %s is refused if that is wanted, with advice", async (kind, type) => {
  const failure = await failureOf(() => checkMount("/mnt/s.db", "fail", () => type));

  expect(failure).toMatchObject({ name: "RepositoryError", code: "unavailable" });
  expect(String(failure)).toContain(`/mnt/s.db is on a mount of type ${kind}`);
  expect(String(failure)).toContain("Put it on a local disk, or use PostgreSQL");
});

test("a database on a network mount is warned about", async () => {
  const warned = once(process, "warning");

  checkMount("/mnt/s.db", "warn", () => 0x6969);

  expect(await warned).toMatchObject([{ code: "CAPSTAN_SHARED_MOUNT" }]);
});

test.each([
  ["ext4", 0xef53],
  ["overlayfs", 0x794c7630],
  ["tmpfs", 0x01021994],
  ["unknown", undefined],
])("a database on a local disk is opened without a word: %s", (_, type) => {
  expect(() => checkMount("/mnt/s.db", "fail", () => type)).not.toThrow();
});

test("a mount can be accepted as it is", () => {
  expect(() => checkMount("/mnt/s.db", "ignore", () => 0x6969)).not.toThrow();
});

test.each([Infinity, Number.MAX_SAFE_INTEGER, 30 * 86_400_000, 0.5])(
  "a store may wait %d ms for a lock",
  async (busyMs) => {
    using folder = temporaryFolder();
    await using store = sqlite(join(folder.path, "s.db"), { busyMs, sharedMount: "fail" });
    await store.create("s", [created()], head());

    expect(await store.post("s", entry("a"))).toEqual({ seq: 2, isNew: true });
  },
);
