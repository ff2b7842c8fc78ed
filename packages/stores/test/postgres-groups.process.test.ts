/** Appends of many sessions at once, which PostgreSQL gets in one statement. */
import type { Appended, Claim, Lease } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import driver from "postgres";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { CuttingProxy } from "./cutting-proxy.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { startPostgres } from "./postgres-server.ts";
import { created, entry, head, readIds } from "./samples.ts";

const server = await startPostgres(["fsync=off"]);
let schemas = 0;

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

interface Ground {
  readonly url: string;
  readonly schema: string;
  readonly store: StoreHandle;
}

function prepare(skip: (reason: string) => void): Ground {
  if (typeof server === "string") {
    skip(server);
    throw new Error(server);
  }
  const schema = `groups_${process.pid}_${(schemas += 1)}`;
  const store = postgres(server.url, { schema });
  onTestFinished(() => store.close());
  return { url: server.url, schema, store };
}

async function ownMany(store: StoreHandle, count: number): Promise<Lease[]> {
  const own = async (_: unknown, i: number): Promise<Lease> => {
    await store.create(`s${i}`, [created()], head());
    return ((await store.acquire(`s${i}`, "me", 600_000)) as Claim).lease;
  };
  return Promise.all(Array.from({ length: count }, own));
}

async function append(store: StoreHandle, lease: Lease, ...ids: string[]): Promise<Appended> {
  return store.append(
    lease.sessionId,
    ids.map((id) => entry(id)),
    { lease },
  );
}

const appended = (...seqs: number[]): unknown => ({ type: "appended", seqs, lastSeq: seqs.at(-1) });

test("each session gets its own entries, in order, in fewer transactions than appends", async ({
  skip,
}) => {
  const { url, schema, store } = prepare(skip);
  const leases = await ownMany(store, 60);
  const sql = driver(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());

  const outcomes = await Promise.all(
    leases.flatMap((lease) => [append(store, lease, "a1", "a2"), append(store, lease, "a3")]),
  );

  expect(outcomes).toEqual(leases.flatMap(() => [appended(2, 3), appended(4)]));
  const ids = await Promise.all(leases.map(({ sessionId }) => readIds(store, sessionId)));
  expect(ids).toEqual(leases.map(() => ["created", "a1", "a2", "a3"]));
  // Rows that one transaction has written have its number.
  const [row] = await sql.unsafe(
    `SELECT count(DISTINCT xmin::text)::int AS n FROM ${schema}.entries WHERE seq > 1`,
  );
  expect(row?.["n"]).toBeLessThan(outcomes.length / 2);
});

test("an append that is refused does not concern the others", async ({ skip }) => {
  const { store } = prepare(skip);
  const leases = await ownMany(store, 40);
  await store.acquire("s20", "another", 1);
  await store.acquire("s20", "me", 600_000);
  const appendOne = async (lease: Lease, i: number): Promise<unknown> => {
    // The tenth takes an id that is there already.
    const id = i === 10 ? "created" : "a1";
    try {
      return await append(store, lease, id);
    } catch (thrown) {
      return (thrown as { readonly code?: string }).code;
    }
  };

  const outcomes = await Promise.all(leases.map(appendOne));

  const expected = leases.map((): unknown => appended(2));
  expect(outcomes).toEqual(expected.with(10, "invalid_entry").with(20, "fenced"));
});

test("heads, conditions and releases hold for each session by itself", async ({ skip }) => {
  const { store } = prepare(skip);
  const leases = await ownMany(store, 40);
  const end = async (lease: Lease, i: number): Promise<Appended> =>
    store.append(lease.sessionId, [entry("a1")], {
      lease,
      head: head({ status: "completed", principal: `user-${i}`, seen: 2, updatedAt: 2_000 + i }),
      // The tenth has missed an entry, and the others end their turn; every second one gives up its lease.
      onlyIfSeq: i === 10 ? 0 : 1,
      releases: i % 2 === 0,
    });

  const outcomes = await Promise.all([
    ...leases.slice(0, 30).map(end),
    ...leases.slice(30).map(async (lease) => append(store, lease, "a1")),
  ]);

  const ended = outcomes.slice(0, 30).map(({ type }) => type);
  expect(ended).toEqual(ended.map(() => "appended").with(10, "conflict"));
  const { sessions } = await store.list({ status: "completed" });
  const listed = Array.from({ length: 30 }, (_, i) => [`s${29 - i}`, `user-${29 - i}`]);
  expect(sessions.map((each) => [each.id, each.head.principal])).toEqual(listed.toSpliced(19, 1));
  const taken = await Promise.all(
    leases.map(async (each) => store.acquire(each.sessionId, "you", 1)),
  );
  const free = taken.flatMap((claim) => claim?.lease.sessionId ?? []);
  expect(free).toEqual(leases.slice(0, 30).flatMap(releasedId));
});

function releasedId({ sessionId }: Lease, index: number): string[] {
  return index % 2 === 0 && index !== 10 ? [sessionId] : [];
}

/** Outcomes of appends at once, on a connection that breaks after so many bytes of answers. */
async function appendThrough(proxy: CuttingProxy, ground: Ground, leases: readonly Lease[]) {
  const url = new URL(ground.url);
  url.host = `127.0.0.1:${proxy.port}`;
  await using store = postgres(url.href, { schema: ground.schema, maxConnections: 1 });
  const settled = await Promise.allSettled(
    leases.map((lease) => append(store, lease, `a${proxy.cutAfter}`)),
  );
  return settled.map((each) =>
    each.status === "rejected" ? (each.reason as { readonly code?: string }).code : "appended",
  );
}

test("appends whose connection is lost have failed, and are not sent a second time", async ({
  skip,
}) => {
  const ground = prepare(skip);
  const leases = await ownMany(ground.store, 40);
  await using proxy = await cuttingProxy(Number(new URL(ground.url).port));

  const codes = new Set<string | undefined>();
  for (const bytes of Array.from({ length: 40 }, (_, i) => 400 + i * 50)) {
    proxy.cutAfter = bytes;
    for (const code of await appendThrough(proxy, ground, leases)) codes.add(code);
  }

  // One that was written and sent again would be refused, as its id is there.
  expect(codes).toEqual(new Set(["appended", "unavailable"]));
});
