/** Sessions in three databases of one server. */
import { databaseOf, postgres } from "@capstan/stores/postgres";
import type { StoreHandle } from "@capstan/stores/postgres";
import { afterAll, expect, test, vi } from "vitest";
import { failureOf } from "./failure-of.ts";
import { createShardDatabases } from "./shard-databases.ts";

const databases = await createShardDatabases();
let schemas = 0;

/** A schema of its own for each test. */
function newSchema(): string {
  schemas += 1;
  return `sharded_${process.pid}_${schemas}`;
}

afterAll(async () => {
  if (typeof databases !== "string") await databases[Symbol.asyncDispose]();
});

const created = { v: 1, id: "created", at: 1_000, type: "created", agent: "helper" } as const;
const ids = Array.from({ length: 60 }, (_, index) => `s${index}`);

async function fill(store: StoreHandle, status: "idle" | "running" = "idle"): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const head = { status, agent: "helper", seen: 1, updatedAt: index } as const;
    await store.create(id, [created], head);
  }
}

/** An address that nothing listens on. */
const nowhere = "postgres://127.0.0.1:1/nowhere";

if (typeof databases === "string") {
  test("sessions in three databases", ({ skip }) => skip(databases));
} else {
  const { urls: three } = databases;

  test("pages of the list have every session once, newest first", async () => {
    await using store = postgres(three, { schema: newSchema(), maxConnections: 2 });
    await fill(store);

    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list({ limit: 7, ...(after !== undefined && { after }) });
      listed.push(...page.sessions.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);

    expect(listed).toEqual(ids.toReversed());
  });

  test("due sessions of all databases are claimed, each once, also one at a time", async () => {
    await using store = postgres(three, { schema: newSchema(), maxConnections: 2 });
    await fill(store, "running");
    const query = { agents: ["helper"], owner: "first", ttlMs: 60_000 };

    const some = await store.claimDue({ ...query, limit: 25 });
    const single = await store.claimDue({ ...query, limit: 1 });
    const rest = await store.claimDue({ ...query, limit: 100 });

    expect([some.length, single.length, rest.length]).toEqual([25, 1, 34]);
    const claimed = [...some, ...single, ...rest].map(({ lease }) => lease.sessionId);
    expect(claimed.toSorted()).toEqual(ids.toSorted());
  });

  test("if a database is away, its sessions are, and no others", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const [first = "", second = ""] = three;
    const urls = [first, second, nowhere];
    const options = { schema: newSchema(), maxConnections: 2, timeoutMs: 500 };
    await using store = postgres(urls, options);
    const head = { status: "running", agent: "helper", seen: 1, updatedAt: 1 } as const;
    const there = ids.filter((id) => databaseOf(urls, id) !== nowhere);
    const away = ids.find((id) => databaseOf(urls, id) === nowhere) ?? "";
    for (const id of there) await store.create(id, [created], head);

    const { sessions } = await store.list({ limit: 100 });
    const claims = await store.claimDue({
      agents: ["helper"],
      owner: "me",
      ttlMs: 1_000,
      limit: 100,
    });
    const failure = await failureOf(() => store.read(away));
    const codes = warned.mock.calls.map(([, given]) => given);
    warned.mockRestore();

    expect(sessions.map(({ id }) => id).toSorted()).toEqual(there.toSorted());
    expect(claims).toHaveLength(there.length);
    expect(failure).toMatchObject({ code: "unavailable" });
    // Once for lists, and once for claims.
    expect(codes).toEqual([{ code: "CAPSTAN_SHARD_AWAY" }, { code: "CAPSTAN_SHARD_AWAY" }]);
  });

  test("if all databases are away, the list fails", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const urls = [nowhere, "postgres://127.0.0.1:1/elsewhere"];
    await using store = postgres(urls, { timeoutMs: 500 });

    const failure = await failureOf(() => store.list());
    warned.mockRestore();

    expect(failure).toMatchObject({ code: "unavailable" });
  });
}
