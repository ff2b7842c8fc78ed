import { join } from "node:path";
import type { StoreHandle } from "../src/handle/store-handle.ts";
import { fs } from "@capstan/stores/fs";
import { sqlite } from "@capstan/stores/sqlite";
import { expect, test } from "vitest";
import { failureOf } from "./failure-of.ts";
import { temporaryFolder } from "./temporary-folder.ts";

test.each<[string, (folder: string) => StoreHandle]>([
  ["a file", (folder) => sqlite(join(folder, "s.db"))],
  ["a folder", (folder) => fs(join(folder, "sessions"))],
])("a closed store in %s says that it is closed, whatever is asked of it", async (_, open) => {
  using folder = temporaryFolder();
  const store = open(folder.path);
  await store.close();
  await store.close();
  const lease = { sessionId: "s", owner: "o", epoch: 1 };

  const failures = [
    await failureOf(() => store.list()),
    await failureOf(() => store.read("s")),
    await failureOf(() => store.acquire("s", "o", 1_000)),
    await failureOf(() => store.renew(lease, 1_000)),
    await failureOf(() => store.putBlob("s", new Uint8Array())),
  ];

  const closed = {
    code: "unavailable",
    message: expect.stringMatching(/ is closed: open a new one$/),
  };
  expect(failures).toMatchObject(failures.map(() => closed));
});
