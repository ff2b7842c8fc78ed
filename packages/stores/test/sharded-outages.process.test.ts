/** One of three databases is cut off while in use, and comes back. */
import { createAgent, createHost } from "@capstan/core";
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { Claim } from "@capstan/log";
import type { PostgresOptions, StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { failureOf } from "./failure-of.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { createShardDatabases, idsIn } from "./shard-databases.ts";
import type { SwitchedProxy } from "./switched-proxy.ts";
import { switchedProxy } from "./switched-proxy.ts";

const databases = await createShardDatabases();
const warned = vi.spyOn(process, "emitWarning");
const patience = { timeout: 20_000, interval: 20 };
const unavailable = { code: "unavailable", message: expect.stringContaining("shard_third") };
let proxies: readonly SwitchedProxy[] = [];
let urls: readonly string[] = [];
let schema = "";
let schemas = 0;

beforeEach(async ({ skip }) => {
  if (typeof databases === "string") {
    skip(databases);
    return;
  }
  proxies = await Promise.all(databases.urls.map(switchedProxy));
  urls = proxies.map(({ url }) => url);
  schema = `outages_${process.pid}_${(schemas += 1)}`;
  warned.mockReset().mockImplementation(() => {});
});

afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()));
});

afterAll(async () => {
  if (typeof databases !== "string") await databases[Symbol.asyncDispose]();
});

function open(options: PostgresOptions = {}): StoreHandle {
  return postgres(urls, { schema, maxConnections: 2, timeoutMs: 2_000, ...options });
}

/** Ids of sessions in each of the databases. The last database is the one that goes away. */
function idsOf(count: number): [staying: string[], leaving: string[]] {
  const [first = [], second = [], third = []] = urls.map((url) => idsIn(url, urls, count));
  return [[...first, ...second], third];
}

function lost(): SwitchedProxy {
  return proxies[2] as SwitchedProxy;
}

/** The turn tells of its store's failures, which are expected. */
const onError = (): void => {};

/** The warnings about databases that are away. */
function outages(): string[] {
  const codes = warned.mock.calls.filter(([, options]) => {
    const given = options as { readonly code?: string } | undefined;
    return given?.code === "CAPSTAN_SHARD_AWAY";
  });
  return codes.map(([message]) => String(message));
}

async function listedIn(store: StoreHandle): Promise<string[]> {
  return (await store.list({ limit: 100 })).sessions.map(({ id }) => id).toSorted();
}

async function claimedIn(store: StoreHandle): Promise<string[]> {
  const query = { agents: ["helper"], owner: "claimer", ttlMs: 60_000, limit: 100 };
  const claims = await store.claimDue(query);
  return claims.map(({ lease }) => lease.sessionId).toSorted();
}

test("while a database is cut off, only its sessions are; when it is back, they work again, with everything acknowledged", async () => {
  await using store = open();
  const [staying, leaving] = idsOf(3);
  const all = [...staying, ...leaving].toSorted();
  for (const id of all) await store.create(id, [created()], head({ status: "running" }));
  const [id = ""] = leaving;
  const posted: string[] = [];
  const postUntilItFails = async (): Promise<unknown> => {
    for (;;) {
      const next = `p${posted.length}`;
      try {
        await store.post(id, entry(next));
      } catch (thrown) {
        return thrown;
      }
      posted.push(next);
    }
  };

  const posting = postUntilItFails();
  await vi.waitFor(() => expect(posted.length).toBeGreaterThan(20), patience);
  lost().cut();
  const failures = [await posting, await failureOf(() => store.read(id))];
  for (const other of staying) await store.post(other, entry("meanwhile"));
  const listed = await listedIn(store);
  const claimed = await claimedIn(store);
  lost().restore();
  await vi.waitFor(() => store.post(id, entry("back")), patience);
  await vi.waitFor(async () => expect(await listedIn(store)).toEqual(all), patience);
  const claimedLater: string[] = [];
  await vi.waitFor(async () => {
    claimedLater.push(...(await claimedIn(store)));
    expect(claimedLater).toHaveLength(leaving.length);
  }, patience);

  expect(failures).toMatchObject([unavailable, unavailable]);
  expect(String(failures[1])).toMatch("it is unreachable");
  expect([listed, claimed]).toEqual([staying.toSorted(), staying.toSorted()]);
  expect(claimedLater).toEqual(leaving.toSorted());
  expect(await readIds(store, id)).toEqual(expect.arrayContaining([...posted, "back"]));
  expect(await readIds(store, staying[0] ?? "")).toEqual(["created", "meanwhile"]);
  expect(outages()).toEqual([
    expect.stringMatching(/^Lists lack the sessions in the database .*shard_third/),
    expect.stringMatching(/^Due sessions in the database .*shard_third.* are not claimed/),
  ]);
});

test("a database that goes away twice is named twice, and not in between", async () => {
  await using store = open();
  const [staying, leaving] = idsOf(1);
  const all = [...staying, ...leaving].toSorted();
  for (const id of all) await store.create(id, [created()], head());
  const told: number[] = [];

  for (let n = 0; n < 2; n += 1) {
    lost().cut();
    for (let k = 0; k < 3; k += 1) expect(await listedIn(store)).toEqual(staying.toSorted());
    told.push(outages().length);
    lost().restore();
    await vi.waitFor(async () => expect(await listedIn(store)).toEqual(all), patience);
    told.push(outages().length);
  }

  expect(told).toEqual([1, 1, 2, 2]);
});

test("a database that is silent costs the others neither leases nor pages", async () => {
  // The database itself has more time than a lease.
  await using store = open({ timeoutMs: 5_000 });
  const [staying, leaving] = idsOf(2);
  for (const id of [...staying, ...leaving]) {
    await store.create(id, [created()], head({ status: "running" }));
  }
  await claimedOf(store, leaving);

  lost().hang();
  const query = { agents: ["helper"], owner: "me", ttlMs: 4_000, limit: 100 };
  const claims = await store.claimDue(query);
  const appended = claims.map(async ({ lease }) =>
    store.append(lease.sessionId, [entry("mine")], { lease }),
  );
  const types = (await Promise.all(appended)).map(({ type }) => type);
  const listed = await listedIn(store);
  lost().restore();
  await vi.waitFor(async () => expect(await listedIn(store)).toHaveLength(6), patience);

  expect(types).toEqual(staying.map(() => "appended"));
  expect(listed).toEqual(staying.toSorted());
  expect(outages()).toEqual([
    expect.stringContaining("has not answered within 2000 ms"),
    expect.stringMatching(/^Lists lack/),
  ]);
});

/** So that none of these is due. */
async function claimedOf(store: StoreHandle, ids: readonly string[]): Promise<void> {
  for (const id of ids) expect(await store.acquire(id, "owner", 600_000)).toBeDefined();
}

test.each<[string, PostgresOptions]>([
  ["notified", {}],
  ["polling", { pooler: "transaction" }],
])(
  "listeners to sessions of a database that was away hear of changes again, also those who came meanwhile: %s",
  async (_, options) => {
    await using listening = open(options);
    await using late = open(options);
    await using writing = open();
    const [[stays = ""], [before = "", meanwhile = ""]] = idsOf(2);
    for (const id of [stays, before, meanwhile]) await writing.create(id, [created()], head());
    const heard = new Set<string>();
    const listen = (store: StoreHandle, id: string): void => {
      onTestFinished(store.subscribe(id, () => heard.add(id)));
    };
    const untilHeard = async (ids: readonly string[]): Promise<void> => {
      heard.clear();
      const postAndLook = async (): Promise<void> => {
        for (const id of ids) await writing.post(id, entry(crypto.randomUUID()));
        expect([...heard].toSorted()).toEqual(ids.toSorted());
      };
      await vi.waitFor(postAndLook, { ...patience, interval: 200 });
    };
    listen(listening, stays);
    listen(listening, before);
    await untilHeard([stays, before]);

    lost().cut();
    listen(late, meanwhile);
    await untilHeard([stays]);
    lost().restore();
    await untilHeard([stays, before, meanwhile]);

    expect(heard.size).toBe(3);
  },
);

test("turns in other databases run meanwhile, and an interrupted turn goes on when its database is back", async () => {
  await using store = open();
  const [[stays = ""], [leaves = ""]] = idsOf(1);
  const asked: string[] = [];
  const replies = Promise.withResolvers<void>();
  async function* stream({ conversationId }: ProviderRequest): AsyncGenerator<ProviderPart> {
    asked.push(conversationId);
    if (conversationId === leaves) await replies.promise;
    yield { type: "text_delta", delta: `Reply to ${conversationId}` };
    yield { type: "finish", reason: "stop" };
  }
  const agent = createAgent({ name: "helper", model: { id: "m", stream }, compaction: false });
  const host = createHost({
    agents: [agent],
    repository: store,
    pollMs: 100,
    leaseMs: 2_000,
    onError,
  });
  onTestFinished(() => host.close());
  const left = host.createSession({ agent: "helper", id: leaves });
  left.send("Hi");
  await vi.waitFor(() => expect(asked).toEqual([leaves]), patience);

  lost().cut();
  replies.resolve();
  const session = host.createSession({ agent: "helper", id: stays });
  const { text } = await session.send("Hi").response;
  const refused = await failureOf(() => host.open(idsOf(2)[1][1] ?? ""));
  lost().restore();
  await vi.waitFor(async () => {
    const { sessions } = await store.list({ status: "completed" });
    expect(sessions.map(({ id }) => id).toSorted()).toEqual([leaves, stays].toSorted());
  }, patience);
  const again = await (await host.open(leaves)).send("Hi again").response;

  expect(text).toBe(`Reply to ${stays}`);
  expect(refused).toMatchObject(unavailable);
  expect(again.text).toBe(`Reply to ${leaves}`);
});

test.each(["cut", "hang"] as const)("a store closes while a database is away: %s", async (how) => {
  const store = open();
  const [[stays = ""], [leaves = ""]] = idsOf(1);
  for (const id of [stays, leaves]) await store.create(id, [created()], head());
  const { lease } = (await store.acquire(stays, "me", 60_000)) as Claim;
  store.subscribe(leaves, () => {});

  lost()[how]();
  const reading = failureOf(() => store.read(leaves));
  await store.append(stays, [entry("last")], { lease });
  await store.close();

  expect(await reading).toMatchObject({ code: "unavailable" });
  expect(await failureOf(() => store.read(stays))).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("is closed"),
  });
  expect(outages()).toEqual([]);
});
