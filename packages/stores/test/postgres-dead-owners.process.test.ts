/** Owners whose connection to PostgreSQL has ended: their sessions are free long before the lease is over. Leases here last ten minutes. */
import { randomUUID } from "node:crypto";
import type { Lease } from "@capstan/log";
import { parseEntries } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import driver from "postgres";
import type { Sql } from "postgres";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { HostProcess } from "./hosts/host-process.ts";
import { openStore } from "./open-store.ts";
import { startPgBouncer } from "./pgbouncer.ts";
import { startPostgres } from "./postgres-server.ts";
import { created, entry, head, readAll } from "./samples.ts";

const server = await startPostgres(["fsync=off"]);
const leaseMs = 600_000;
const schema = "capstan";

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

interface Ground {
  readonly url: string;
  readonly sql: Sql;
  readonly agent: string;
}

async function prepare(skip: (reason: string) => void): Promise<Ground> {
  if (typeof server === "string") {
    skip(server);
    throw new Error(server);
  }
  const sql = driver(server.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  // Creates the tables.
  await open(server.url).list();
  return { url: server.url, sql, agent: `agent ${randomUUID()}` };
}

function open(url: string): StoreHandle {
  const store = postgres(url, { schema, maxConnections: 2 });
  onTestFinished(() => store.close());
  return store;
}

/** A session with a turn under way, whose lease the store has. */
async function own(store: StoreHandle, agent: string): Promise<Lease> {
  const id = randomUUID();
  await store.create(id, [created()], head({ agent, status: "running" }));
  return acquire(store, id);
}

async function acquire(store: StoreHandle, id: string): Promise<Lease> {
  const claim = await store.acquire(id, "owner", leaseMs);
  if (claim === undefined) throw new Error("The lease was not given");
  return claim.lease;
}

async function guardOf(sql: Sql, id: string): Promise<unknown> {
  const [row] = await sql.unsafe(`SELECT guard::text FROM ${schema}.sessions WHERE id = $1`, [id]);
  return row?.["guard"];
}

/** The same, with a lease that ends with its process. */
async function ownGuarded(store: StoreHandle, { sql, agent }: Ground): Promise<Lease> {
  const lease = await own(store, agent);
  expect(await guardOf(sql, lease.sessionId)).toEqual(expect.any(String));
  return lease;
}

/** Looks as a host does until this session is given; returns all that were. */
async function claimUntil(store: StoreHandle, agent: string, id: string): Promise<string[]> {
  const ids: string[] = [];
  const look = async (): Promise<void> => {
    const claims = await store.claimDue({ agents: [agent], owner: "another", ttlMs: leaseMs });
    ids.push(...claims.map(({ lease }) => lease.sessionId));
    expect(ids).toContain(id);
  };
  await vi.waitFor(look, { timeout: 20_000, interval: 50 });
  return ids;
}

test("a turn whose process was killed goes on in another, long before its lease is over", async ({
  skip,
}) => {
  const { url, agent } = await prepare(skip);
  const settings = { kind: "postgres", where: url, agents: [agent], leaseMs };
  const id = randomUUID();
  const first = await HostProcess.start({ ...settings, isOpen: false });
  await using second = await HostProcess.start({ ...settings, isOpen: true });
  first.tell({ type: "send", sessionId: id, text: "wait" });
  await first.hear("waiting");

  await first.kill();
  second.tell({ type: "finish", sessionId: id });
  await second.hear("finished");

  await using store = openStore("postgres", url);
  const entries = Array.from(parseEntries(await readAll(store, id)), (each) => each.entry?.type);
  expect(entries).toContain("turn_resumed");
  expect(entries.at(-1)).toBe("turn_ended");
});

test("a session that a caller asks for is given, too, once its owner is gone", async ({ skip }) => {
  const ground = await prepare(skip);
  const [dying, other] = [open(ground.url), open(ground.url)];
  const { sessionId, epoch } = await ownGuarded(dying, ground);
  expect(await other.acquire(sessionId, "another", leaseMs)).toBeUndefined();

  await dying.close();

  const claim = await vi.waitFor(
    async () => {
      const given = await other.acquire(sessionId, "another", leaseMs);
      expect(given).toBeDefined();
      return given;
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(claim?.lease.epoch).toBeGreaterThan(epoch);
});

test("an owner whose connections were cut, but that lives, keeps its sessions", async ({
  skip,
}) => {
  const ground = await prepare(skip);
  const [living, dying, other] = [open(ground.url), open(ground.url), open(ground.url)];
  const kept = await ownGuarded(living, ground);
  const lost = await ownGuarded(dying, ground);
  const { sql } = ground;

  await dying.close();
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'capstan' AND pid <> pg_backend_pid()`;
  const ids = await claimUntil(other, ground.agent, lost.sessionId);

  expect(ids).toEqual([lost.sessionId]);
  expect(await living.append(kept.sessionId, [entry("a1")], { lease: kept })).toMatchObject({
    type: "appended",
  });
});

test("behind a pooler by transaction, a closed connection ends no lease", async ({ skip }) => {
  const ground = await prepare(skip);
  const started = await startPgBouncer(ground.url);
  if (typeof started === "string") {
    skip(started);
    return;
  }
  await using pooler = started;
  const pooled = postgres(pooler.url, { schema, pooler: "transaction" });
  const [dying, other] = [open(ground.url), open(ground.url)];
  const kept = await own(pooled, ground.agent);
  const lost = await ownGuarded(dying, ground);
  // A renewal would add what the lease lacks.
  await pooled.renew(kept, leaseMs);

  await Promise.all([pooled.close(), dying.close()]);
  const ids = await claimUntil(other, ground.agent, lost.sessionId);

  expect(await guardOf(ground.sql, kept.sessionId)).toBeNull();
  expect(ids).toEqual([lost.sessionId]);
});
