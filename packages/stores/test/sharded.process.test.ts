/** Sessions in three databases of one server. */
import { createAgent, createHost } from "@capstan/core";
import { exportSession, importSession } from "@capstan/log";
import { databaseOf, postgres } from "@capstan/stores/postgres";
import type { StoreHandle } from "@capstan/stores/postgres";
import { say, scriptedProvider } from "@capstan/testing";
import driver from "postgres";
import { afterAll, expect, test, vi } from "vitest";
import { failureOf } from "./failure-of.ts";
import { startPostgres } from "./postgres-server.ts";
import { readAll } from "./samples.ts";

// The contract does not cover power failures: no write needs to wait for the disk.
const server = await startPostgres(["fsync=off"]);
const names = ["first", "second", "third"].map((name) => `shard_${name}_${process.pid}`);
const databases = typeof server === "string" ? [] : await createDatabases(server.url);
let schemas = 0;

async function createDatabases(url: string): Promise<string[]> {
  const sql = driver(url, { max: 1, onnotice: () => {} });
  for (const name of names) await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  return names.map((name) => withDatabase(url, name));
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** A schema of its own for each test. */
function newSchema(): string {
  schemas += 1;
  return `sharded_${process.pid}_${schemas}`;
}

afterAll(async () => {
  if (typeof server === "string") return;
  const sql = driver(server.url, { max: 1, onnotice: () => {} });
  for (const name of names) await sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await sql.end();
  await server.stop();
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

test("databases get equal shares of the ids, and a fourth takes its share from the others", () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `session-${index}`);
  const before = ["a", "b", "c"].map((name) => `postgres://h/${name}`);

  const counts = before.map((url) => many.filter((id) => databaseOf(before, id) === url).length);
  const moved = many.filter((id) => {
    const after = [...before, "postgres://h/d"];
    return databaseOf(after, id) !== databaseOf(before, id);
  });

  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  expect(Math.abs(moved.length - 750)).toBeLessThan(150);
});

test("a database that is given twice, and none, are refused", () => {
  const url = "postgres://h/a";

  expect(() => postgres([url, "postgres://user:secret@h/a"])).toThrow(
    "The database h/a is given twice",
  );
  expect(() => postgres([])).toThrow("pass at least one URL");
  expect(() => postgres([url, ""])).toThrow("Missing URL");
});

if (typeof server === "string") {
  test("sessions in three databases", ({ skip }) => skip(server));
} else {
  test("pages of the list have every session once, newest first", async () => {
    await using store = postgres(databases, { schema: newSchema(), maxConnections: 2 });
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
    await using store = postgres(databases, { schema: newSchema(), maxConnections: 2 });
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
    const [first = "", second = ""] = databases;
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
    // Once for one outage.
    expect(codes).toEqual([{ code: "CAPSTAN_SHARD_AWAY" }]);
  });

  test("if all databases are away, the list fails", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const urls = [nowhere, "postgres://127.0.0.1:1/elsewhere"];
    await using store = postgres(urls, { timeoutMs: 500 });

    const failure = await failureOf(() => store.list());
    warned.mockRestore();

    expect(failure).toMatchObject({ code: "unavailable" });
  });

  test("sessions move to a database that was added, with their ids and what was said", async () => {
    const schema = newSchema();
    const [first = "", second = ""] = databases;
    const agent = createAgent({
      name: "helper",
      model: scriptedProvider(ids.flatMap(() => [say("Hello"), say("Again")])),
    });
    await using before = postgres([first, second], { schema, maxConnections: 2 });
    const host = createHost({ agents: [agent], repository: before });
    for (const id of ids) await host.createSession({ agent: "helper", id }).send("Hi").response;
    await host.close();
    const moving = ids.filter(
      (id) => databaseOf(databases, id) !== databaseOf([first, second], id),
    );
    await using after = postgres(databases, { schema, maxConnections: 2 });

    for (const id of moving) {
      const lines = await Array.fromAsync(exportSession(before, id));
      await importSession(after, lines, { id, now: Date.now(), trust: "own" });
      await before.delete(id);
    }

    const grown = createHost({ agents: [agent], repository: after });
    const [moved = ""] = moving;
    const session = await grown.open(moved);
    const { text } = await session.send("Hi again").response;
    await grown.close();
    expect(text).not.toBe("");
    expect(session.messages).toHaveLength(4);
    expect((await after.list({ limit: 100 })).sessions).toHaveLength(ids.length);
    expect((await readAll(after, ids[0] ?? "")).length).toBeGreaterThan(5);
  });
}
