import { setTimeout as wait } from "node:timers/promises";
import type { Claim, Wakeup } from "@capstan/log";
import { isRepositoryError } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import driver from "postgres";
import { afterAll, expect, test } from "vitest";
import { cuttingProxy } from "./cutting-proxy.ts";
import { failureOf } from "./failure-of.ts";
import type { PostgresProcess, PostgresServer } from "./postgres-server.ts";
import { startPostgres } from "./postgres-server.ts";
import { created, entry, head, readIds } from "./samples.ts";
import { WorkerProcess } from "./worker-process.ts";

const server = await startPostgres();
let schemas = 0;

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

type Skip = (reason: string) => void;

function mustServe(skip: Skip): PostgresServer {
  if (typeof server !== "string") return server;
  skip(server);
  throw new Error(server);
}

/** One that is ours to kill. */
function mustKill(skip: Skip): PostgresServer & { readonly process: PostgresProcess } {
  const { process: child, ...rest } = mustServe(skip);
  if (child !== undefined) return { ...rest, process: child };
  skip("the server of DATABASE_URL is not ours to kill");
  throw new Error("unreachable");
}

function newSchema(): string {
  return `faults_${process.pid}_${(schemas += 1)}`;
}

/** Tries until it succeeds: how often it failed, and with what. */
async function persist<T>(work: () => T | Promise<T>): Promise<{ value: T; failures: unknown[] }> {
  const failures: unknown[] = [];
  for (;;) {
    try {
      return { value: await work(), failures };
    } catch (thrown) {
      failures.push(thrown);
      if (failures.length > 1_000) throw thrown;
      await wait(10);
    }
  }
}

function isUnavailable(thrown: unknown): boolean {
  return isRepositoryError(thrown) && thrown.code === "unavailable";
}

test("a database that was killed and comes back has everything that was acknowledged, and the store goes on by itself", async ({
  skip,
}) => {
  const { url, process: child } = mustKill(skip);
  // On one connection, so that it is the lost one that comes back.
  await using store = postgres(url, { schema: newSchema(), maxConnections: 1 });
  await store.create("s", [created()], head());
  const { lease } = (await store.acquire("s", "first", 600_000)) as Claim;
  const acknowledged: string[] = [];
  const appendUntilItFails = async (): Promise<unknown> => {
    for (;;) {
      const id = `e${acknowledged.length}`;
      try {
        await store.append("s", [entry(id)], { lease });
      } catch (thrown) {
        return thrown;
      }
      acknowledged.push(id);
    }
  };

  const appending = appendUntilItFails();
  await persist(() => {
    if (acknowledged.length < 20) throw new Error("not enough yet");
  });
  await child.kill();
  const failure = await appending;
  const whileGone = await failureOf(() => store.read("s"));
  await child.start();
  const { failures } = await persist(() => store.post("s", entry("after")));

  expect([failure, whileGone, ...failures].every(isUnavailable)).toBe(true);
  expect(String(whileGone)).toMatch(/it is unreachable/);
  const ids = await readIds(store, "s");
  expect(ids).toEqual(expect.arrayContaining([...acknowledged, "after"]));
  // The append that was under way may have been written.
  expect(ids.length - acknowledged.length - 2).toBeLessThanOrEqual(1);
});

test("who listens is told to look when the database is back, and hears of what is written then", async ({
  skip,
}) => {
  const { url, process: child } = mustKill(skip);
  const schema = newSchema();
  await using listening = postgres(url, { schema });
  await using writing = postgres(url, { schema });
  await writing.create("s", [created()], head());
  const heard: Wakeup["type"][] = [];
  listening.subscribe("s", ({ type }) => heard.push(type));
  const untilHeard = async (act: () => unknown): Promise<string[]> => {
    heard.length = 0;
    await persist(async () => {
      await act();
      await wait(50);
      if (heard.length === 0) throw new Error("nothing heard");
    });
    return [...new Set(heard)];
  };
  let posts = 0;
  const post = (): unknown => writing.post("s", entry(`p${(posts += 1)}`));
  const before = await untilHeard(post);

  await child.kill();
  await child.start();
  const back = await untilHeard(() => {});
  const after = await untilHeard(post);

  expect([before, back, after]).toEqual([["changed"], ["changed"], ["changed"]]);
});

test("a database that stands still fails who waits for it in time, and the store goes on when it does", async ({
  skip,
}) => {
  const { url, process: child } = mustKill(skip);
  await using store = postgres(url, { schema: newSchema(), timeoutMs: 500 });
  await store.create("s", [created()], head());

  child.pause();
  const failure = await failureOf(() => store.read("s"));
  child.resume();
  const { value } = await persist(() => store.read("s"));

  expect(isUnavailable(failure)).toBe(true);
  expect(String(failure)).toMatch("no answer within 500 ms");
  expect(value.lastSeq).toBe(1);
});

test("a store whose database is not there yet connects when it is", async ({ skip }) => {
  const { url, process: child } = mustKill(skip);
  await child.kill();
  await using store = postgres(url, { schema: newSchema() });

  const failure = await failureOf(() => store.list());
  await child.start();
  const { value } = await persist(() => store.list());

  expect(isUnavailable(failure)).toBe(true);
  expect(value).toEqual({ sessions: [] });
});

test("many that come at once to an empty database make its tables once", async ({ skip }) => {
  const { url } = mustServe(skip);
  const schema = newSchema();
  const stores = Array.from({ length: 8 }, () => postgres(url, { schema, maxConnections: 1 }));

  const pages = await Promise.all(stores.map(async (store) => store.list()));

  expect(pages).toEqual(stores.map(() => ({ sessions: [] })));
  await Promise.all(stores.map((store: StoreHandle) => store.close()));
});

test("tables of a newer version are not touched", async ({ skip }) => {
  const { url } = mustServe(skip);
  const schema = newSchema();
  await using first = postgres(url, { schema });
  await first.list();
  const sql = driver(url, { max: 1 });
  await sql.unsafe(`UPDATE ${schema}.migrations SET version = 99`);
  await sql.end();

  await using store = postgres(url, { schema });
  const failure = await failureOf(() => store.list());

  expect(String(failure)).toMatch("created by a newer version");
});

test("a user without rights on the schema can use tables that are there, and is told why it cannot make them", async ({
  skip,
}) => {
  const { url } = mustServe(skip);
  const schema = newSchema();
  const admin = driver(url, { max: 1, onnotice: () => {} });
  await admin.unsafe(`DROP ROLE IF EXISTS ${schema}; CREATE ROLE ${schema} LOGIN`);
  await using owner = postgres(url, { schema });
  await owner.list();
  await admin.unsafe(`GRANT USAGE ON SCHEMA ${schema} TO ${schema};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${schema}`);
  await admin.end();
  const userUrl = Object.assign(new URL(url), { username: schema }).href;

  await using reader = postgres(userUrl, { schema });
  await using maker = postgres(userUrl, { schema: newSchema() });

  expect(await reader.list()).toEqual({ sessions: [] });
  const failures = [
    await failureOf(() => reader.create("s", [], head())),
    await failureOf(() => maker.list()),
  ];
  expect(failures.filter((failure) => !isUnavailable(failure))).toEqual([]);
  expect(failures.map(String).join()).toMatch(/permission denied.*permission denied/);
});

test("two processes write to one session at once, one is killed, and nothing is lost, doubled or out of line", async ({
  skip,
}) => {
  const { url } = mustServe(skip);
  await using store = postgres(url);
  const session = newSchema();
  await store.create(session, [created()], head());
  const worker = (task: string): WorkerProcess =>
    new WorkerProcess({ kind: "postgres", where: url, task, session });
  const [owner, poster] = [worker("append"), worker("post-100")];

  await Promise.all([owner.told(30), poster.ended()]);
  await owner.kill();

  const ids = await readIds(store, session);
  const acknowledged = [owner, poster].flatMap(({ lines }) => lines.join(" ").split(" "));
  expect(ids).toEqual(expect.arrayContaining(acknowledged));
  expect(new Set(ids).size).toBe(ids.length);
  expect(poster.lines).toHaveLength(100);
});

test("a connection that breaks at any byte fails the calls that use it, and no others", async ({
  skip,
}) => {
  const { url } = mustServe(skip);
  const direct = new URL(url);
  await using proxy = await cuttingProxy(Number(direct.port));
  const through = new URL(url);
  through.port = String(proxy.port);
  const schema = newSchema();
  await using made = postgres(url, { schema });
  await made.create("s", [created()], head());
  const failures: unknown[] = [];

  for (let bytes = 1; bytes < 1_500; bytes += 13) {
    proxy.cutAfter = bytes;
    const store = postgres(through.href, { schema, maxConnections: 2 });
    store.subscribe("s", () => {});
    const reads = await Promise.allSettled([1, 2, 3].map(async () => store.read("s")));
    for (const read of reads) if (read.status === "rejected") failures.push(read.reason);
    await store.close();
  }
  proxy.cutAfter = Infinity;
  await using store = postgres(through.href, { schema });

  expect(failures.length).toBeGreaterThan(10);
  expect(failures.filter((failure) => !isUnavailable(failure))).toEqual([]);
  expect(await readIds(store, "s")).toEqual(["created"]);
});

test("a connection that ends at any byte of a deletion fails it, and the process goes on", async ({
  skip,
}) => {
  const { url } = mustServe(skip);
  const direct = new URL(url);
  await using proxy = await cuttingProxy(Number(direct.port));
  proxy.endsQuietly = true;
  const through = new URL(url);
  through.port = String(proxy.port);
  const schema = newSchema();
  await using safe = postgres(url, { schema, maxConnections: 1 });
  const outcomes = new Set<string>();

  // The first cuts are during the login, the last ones after the commit.
  for (let bytes = 440; bytes < 940; bytes += 20) {
    await persist(() => safe.create("s", [created()], head()));
    proxy.cutAfter = bytes;
    const store = postgres(through.href, { schema, maxConnections: 1, timeoutMs: 1_000 });
    const [outcome] = await Promise.allSettled([store.delete("s")]);
    outcomes.add(
      outcome.status === "fulfilled" ? "deleted" : String(isUnavailable(outcome.reason)),
    );
    // The driver writes in the next turn of the event loop.
    await wait(5);
    await store.close();
    await safe.delete("s");
  }

  expect(outcomes).toEqual(new Set(["true", "deleted"]));
});

test("a URL that leads nowhere is told without its password", async () => {
  await using store = postgres("postgres://me:secret@127.0.0.1:1/none");

  const failure = await failureOf(() => store.list());

  expect(isUnavailable(failure)).toBe(true);
  expect(String(failure)).toMatch("127.0.0.1:1/none");
  expect(String(failure)).not.toMatch("secret");
});

test.each([undefined, ""])("no URL at all is told at once: %j", (url) => {
  expect(() => postgres(url)).toThrow("set DATABASE_URL");
});

test("a name that is no schema's is refused", () => {
  expect(() => postgres("postgres://x", { schema: 'a"; DROP' })).toThrow("Invalid schema name");
});
