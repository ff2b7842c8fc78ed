/** The contract of stores, on three databases. */
import type { StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { storeContract } from "@capstan/testing/stores";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, test } from "vitest";
import { administrate, createShardDatabases } from "./shard-databases.ts";

const databases = await createShardDatabases();
let schemas = 0;

afterAll(async () => {
  if (typeof databases !== "string") await databases[Symbol.asyncDispose]();
});

/** A little more, as the clock is the databases'. */
const advance = (ms: number): Promise<void> => wait(ms + 20);

/** A schema of its own for each test. */
function create(urls: readonly string[]): StoreUnderTest {
  const schema = `contract_${process.pid}_${(schemas += 1)}`;
  const handles: StoreHandle[] = [];
  const reopen = (): StoreHandle => {
    const handle = postgres(urls, { schema, maxConnections: 2 });
    handles.push(handle);
    return handle;
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
    await Promise.all(
      urls.map((url) => administrate(url, `DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    );
  };
  return {
    repository: reopen(),
    reopen,
    advance,
    leaseMs: 400,
    isOneQueue: false,
    readsFromCheckpoints: true,
    close,
  };
}

if (typeof databases === "string") {
  test("the store contract: three databases", ({ skip }) => skip(databases));
} else {
  storeContract("three databases", () => create(databases.urls), { describe, test });
}
