/**
 * How PostgreSQL finds the rows of each statement, with many sessions: 50,000, or as many as CAPSTAN_PLAN_ROWS says. The statements are those
 * that the store sends.
 */
import type { Claim, ListQuery, SessionRepository } from "@capstan/log";
import { postgres } from "@capstan/stores/postgres";
import { setTimeout as wait } from "node:timers/promises";
import driver from "postgres";
import type { Sql } from "postgres";
import { afterAll, expect, test } from "vitest";
import { startPostgres } from "./postgres-server.ts";
import { created, entry, head } from "./samples.ts";
import type { SentStatement } from "./statement-tap.ts";
import { tapStatements } from "./statement-tap.ts";

const server = await startPostgres(["fsync=off"]);
const rows = Number(process.env["CAPSTAN_PLAN_ROWS"] ?? 50_000);
const schema = `plans_${process.pid}`;

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

/** Sessions of which one in a hundred is at work, each with three entries and a blob; and the notes of a minute. */
async function fill(sql: Sql): Promise<void> {
  const text = JSON.stringify(head({ status: "completed" }));
  await sql.unsafe(
    `INSERT INTO ${schema}.sessions
       (id, last_seq, head, status, agent, principal, seen, updated_at, owner, expires_at, incarnation)
     SELECT 'filled-' || i, 3, $1, CASE WHEN i % 100 = 0 THEN 'running' ELSE 'completed' END, 'helper', 'user-' || i % 1000,
       3, i, CASE WHEN i % 100 = 0 THEN 'other' END, CASE WHEN i % 100 = 0 THEN 1e14 END, 'created-' || i
     FROM generate_series(1, $2::int) i`,
    [text, rows],
  );
  await sql.unsafe(
    `INSERT INTO ${schema}.entries (session, seq, id, body)
     SELECT n, seq, 'entry-' || seq, '{}' FROM ${schema}.sessions, generate_series(1, 3) seq`,
  );
  await sql.unsafe(
    `INSERT INTO ${schema}.blobs (session, ref, bytes) SELECT n, 'ref', 'x' FROM ${schema}.sessions`,
  );
  await sql.unsafe(
    `INSERT INTO ${schema}.notes (notes, sent_at)
     SELECT '[]', now() - interval '61 s' * i / $1::int FROM generate_series(1, $1::int) i`,
    [rows],
  );
  for (const table of ["sessions", "entries", "blobs", "notes"]) {
    await sql.unsafe(`VACUUM ANALYZE ${schema}.${table}`);
  }
}

/** Calls every method of the store, each in the ways that differ in their statements. */
async function useAll(store: SessionRepository): Promise<void> {
  const id = "used";
  await store.create(id, [created()], head());
  await store.post(id, entry("p1"));
  await store.post(id, entry("p1"));
  const { claim } = await store.post(id, entry("p2"), { claim: { owner: "me", ttlMs: 60_000 } });
  if (claim === undefined) throw new Error("The lease was not given");
  await store.append(id, [entry("a1")], { lease: claim.lease });
  await store.append(id, [entry("a2")], { lease: claim.lease, head: head() });
  await store.append(id, [entry("a3")], { lease: claim.lease, head: head(), onlyIfSeq: 1 });
  await store.renew(claim.lease, 60_000);
  await store.append(id, [entry("a4")], { lease: claim.lease, head: head(), releases: true });
  const start = { entries: [entry("s1")], head: head(), onlyIfSeq: 6 };
  const options = { claim: { owner: "me", ttlMs: 60_000 }, start };
  const { isStarted } = await store.post(id, entry("p3"), options);
  if (isStarted !== true) throw new Error("The start was not stored");
  const again = await store.acquire(id, "me", 60_000);
  if (again === undefined) throw new Error("The lease was not given");
  await store.release(again.lease);
  await store.read(id);
  const ref = await store.putBlob(id, Buffer.from("bytes"));
  await store.getBlob(id, ref);
  const queries: readonly ListQuery[] = [
    {},
    { principal: "user-1" },
    { agent: "helper" },
    { status: "running" },
  ];
  for (const query of queries) {
    const { next } = await store.list({ ...query, limit: 5 });
    if (next !== undefined) await store.list({ ...query, limit: 5, after: next });
  }
  await store.claimDue({ agents: ["helper"], owner: "me", ttlMs: 1_000 });
  await store.nextDueInMs?.(["helper"]);
  await store.delete(id);
}

/** So many at once that they go together. */
async function appendAtOnce(store: SessionRepository): Promise<void> {
  const ids = Array.from({ length: 20 }, (_, i) => `at-once-${i}`);
  const claim = async (id: string) => {
    await store.create(id, [created()], head({ updatedAt: 3_000 }));
    return store.acquire(id, "me", 60_000);
  };
  const claims = (await Promise.all(ids.map(claim))).filter((each) => each !== undefined);
  const append = async ({ lease }: Claim) =>
    store.append(lease.sessionId, [entry("a1")], { lease });
  await Promise.all(claims.map(append));
}

/** A process that is no longer there: others find it missing, and end its leases. */
async function endLeases(sql: Sql, store: SessionRepository): Promise<void> {
  await sql.unsafe(`INSERT INTO ${schema}.owners (guard) VALUES (1)`);
  const look = { agents: ["helper"], owner: "me", ttlMs: 1_000 };
  await store.claimDue(look);
  while ((await sql.unsafe(`SELECT FROM ${schema}.owners WHERE guard = 1`)).length > 0) {
    await wait(50);
    await store.claimDue(look);
  }
}

/** A note that is too long for a notification, and one that is not, from one handle to another. */
async function exchangeNotes(store: SessionRepository, other: SessionRepository): Promise<void> {
  await store.create("told", [created()], head({ updatedAt: 2_000 }));
  const claim = await store.acquire("told", "me", 60_000);
  if (claim === undefined) throw new Error("The lease was not given");
  const isFollowed = Promise.withResolvers<void>();
  const hasFrame = Promise.withResolvers<void>();
  store.subscribe("told", ({ type }) => type === "followed" && isFollowed.resolve());
  other.subscribe("told", ({ type }) => type === "live" && hasFrame.resolve(), { isLive: true });
  await isFollowed.promise;
  const text = "x".repeat(9_000);
  const { epoch } = claim.lease;
  const event = { type: "text_delta", messageId: "m", index: 0, delta: text } as never;
  store.sendLive?.(claim.lease, { epoch, seq: 1, from: 1, turnId: "t", events: [event] });
  await hasFrame.promise;
}

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly Plan[];
}

const growing = new Set(["sessions", "entries", "blobs", "notes"]);

/** Relations that the plan reads from one end to the other. */
function scannedIn(plan: Plan): string[] {
  const { "Node Type": type, "Relation Name": relation = "", Plans: parts = [] } = plan;
  const isScan = type === "Seq Scan" && growing.has(relation);
  return [...(isScan ? [relation] : []), ...parts.flatMap(scannedIn)];
}

/** The condition by which each index is entered; empty if an index is read from one of its ends. */
function conditionsIn(plan: Plan): string[] {
  const own = plan["Node Type"].includes("Index") ? [plan["Index Cond"] ?? ""] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(conditionsIn)];
}

/** For the values of its first run, and for any values. */
async function plansOf(sql: Sql, { text, values }: SentStatement): Promise<Plan[]> {
  const explain = async (options: string, parameters: (string | null)[]): Promise<Plan> => {
    const [row] = await sql.unsafe(`EXPLAIN (${options}FORMAT JSON) ${text}`, parameters);
    const plans = row?.["QUERY PLAN"] as readonly { readonly Plan: Plan }[] | undefined;
    const explained = plans?.[0];
    if (explained === undefined) throw new Error(`PostgreSQL does not explain ${text}`);
    return explained.Plan;
  };
  const own = await explain("", [...values]);
  return values.length === 0 ? [own] : [own, await explain("GENERIC_PLAN, ", [])];
}

/** The statements on tables that grow, as the store sends them with that many rows. */
async function collect(url: string, sql: Sql): Promise<SentStatement[]> {
  await using tap = await tapStatements(url);
  {
    await using first = postgres(url, { schema });
    await first.list();
  }
  await fill(sql);
  await using store = postgres(tap.url, { schema });
  await using other = postgres(tap.url, { schema });
  await useAll(store);
  await appendAtOnce(store);
  await endLeases(sql, store);
  await exchangeNotes(store, other);
  return [...tap.statements.values()].filter(({ text }) =>
    [...growing].some((name) => text.includes(`${schema}.${name}`)),
  );
}

test(
  "no statement reads a whole table that grows, or a whole index",
  { timeout: 600_000 },
  async ({ skip }) => {
    if (typeof server === "string") {
      skip(server);
      return;
    }
    const sql = driver(server.url, { max: 1, onnotice: () => {} });
    const sent = await collect(server.url, sql);

    const scanned: string[] = [];
    const fromTheEnd = new Set<string>();
    const byTime: string[][] = [];
    for (const statement of sent) {
      const { text } = statement;
      for (const plan of await plansOf(sql, statement)) {
        const relations = scannedIn(plan);
        if (relations.length > 0) scanned.push(`${relations.join(", ")}: ${text}`);
        const conditions = conditionsIn(plan);
        if (conditions.includes("")) fromTheEnd.add(text.split(`${schema}.sessions`)[1] ?? text);
        if (text.includes("WHERE due_at")) byTime.push(conditions);
      }
    }
    const unprepared = sent.filter(({ isPrepared, values }) => !isPrepared && values.length > 0);
    await sql.unsafe(`DROP SCHEMA ${schema} CASCADE`);
    await sql.end();

    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter(({ text }) => text.includes("g.count"))).toHaveLength(1);
    expect(scanned).toEqual([]);
    expect(unprepared).toEqual([]);
    // A first page begins with the newest session and ends at its limit. By agent or by status it skips the others on its way.
    expect(Array.from(fromTheEnd, (text) => text.trim())).toEqual([
      "ORDER BY updated_at DESC, id DESC LIMIT $1",
      "WHERE agent = $1 ORDER BY updated_at DESC, id DESC LIMIT $2",
      "WHERE status = $1 ORDER BY updated_at DESC, id DESC LIMIT $2",
    ]);
    // Due sessions are found by their time, without reading those that others work on.
    expect(byTime).toHaveLength(6);
    expect(
      byTime.filter((each) => !each.some((condition) => condition.includes("due_at"))),
    ).toEqual([]);
  },
);
