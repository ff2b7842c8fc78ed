import { setTimeout as wait } from "node:timers/promises";
import type { StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { storeContract } from "@capstan/testing/stores";
import driver from "postgres";
import { afterAll, describe, expect, test } from "vitest";
import { startPostgres } from "./postgres-server.ts";

// The contract does not cover power failures: no write needs to wait for the disk.
const server = await startPostgres(["fsync=off"]);
let schemas = 0;

/** A little more, as the clock is the database's. */
const advance = (ms: number): Promise<void> => wait(ms + 20);

/** A schema of its own for each test. */
function create(url: string): StoreUnderTest {
  const schema = `contract_${process.pid}_${(schemas += 1)}`;
  const handles: StoreHandle[] = [];
  const reopen = (): StoreHandle => {
    const handle = postgres(url, { schema, maxConnections: 3 });
    handles.push(handle);
    return handle;
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
    const sql = driver(url, { max: 1, onnotice: () => {} });
    await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await sql.end();
  };
  return { repository: reopen(), reopen, advance, leaseMs: 400, readsFromCheckpoints: true, close };
}

if (typeof server === "string") {
  test("the store contract: postgres", ({ skip }) => skip(server));
} else {
  storeContract("postgres", () => create(server.url), { describe, test });
  test.each([Infinity, 30 * 86_400_000])("a server may take %d ms to answer", async (timeoutMs) => {
    await using store = postgres(server.url, { schema: `long_${process.pid}`, timeoutMs });

    expect(await store.list()).toEqual({ sessions: [] });
  });
  afterAll(() => server.stop());
}
