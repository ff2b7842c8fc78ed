/** Sessions move between databases after the list of databases has changed. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { NewEntry } from "@capstan/log";
import { exportSession, importSession } from "@capstan/log";
import { databaseOf, moveSessions, postgres } from "@capstan/stores/postgres";
import type { StoreHandle } from "@capstan/stores/postgres";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { created, head } from "./samples.ts";
import { createShardDatabases } from "./shard-databases.ts";

const databases = await createShardDatabases();
const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
const warned = vi.spyOn(process, "emitWarning");
let three: readonly string[] = [];
let two: readonly string[] = [];
let schema = "";
let schemas = 0;

beforeEach(({ skip }) => {
  if (typeof databases === "string") {
    skip(databases);
    return;
  }
  three = databases.urls;
  two = three.slice(0, 2);
  schema = `moves_${process.pid}_${(schemas += 1)}`;
  warned.mockReset().mockImplementation(() => {});
});

afterAll(async () => {
  if (typeof databases !== "string") await databases[Symbol.asyncDispose]();
});

function open(urls: readonly string[]): StoreHandle {
  const store = postgres(urls, { schema, maxConnections: 2 });
  onTestFinished(() => store.close());
  return store;
}

/** Ids of the sessions that are elsewhere with three databases. */
function movingIds(): string[] {
  return ids.filter((id) => databaseOf(two, id) !== databaseOf(three, id));
}

/** Codes of the warnings about databases. */
function told(): unknown[] {
  const codes = warned.mock.calls.map(
    ([, options]) => (options as { code?: string } | undefined)?.code ?? "",
  );
  return codes.filter((code) => code.startsWith("CAPSTAN_SHARD"));
}

async function listedIn(urls: readonly string[]): Promise<string[]> {
  return (await open(urls).list({ limit: 100 })).sessions.map(({ id }) => id);
}

const long = "All work and no play.\n".repeat(500);
const look = defineTool({
  name: "look",
  description: "Looks around",
  input: { type: "object" },
  effect: "pure",
  execute: () => long,
});

function hostOn(store: StoreHandle, replies: Parameters<typeof scriptedProvider>[0]) {
  const tools = [look, echoTool({ needsApproval: true })];
  const model = scriptedProvider(replies);
  const agent = createAgent({ name: "helper", model, tools, outputs: { maxChars: 1_000 } });
  const host = createHost({ agents: [agent], repository: store });
  onTestFinished(() => host.close());
  return host;
}

test("sessions move to a database that was added, with their order, what was said, kept outputs and pending calls", async () => {
  const before = open(two);
  const [asking = "", ...talking] = movingIds();
  const host = hostOn(before, [
    callTool("echo", { n: 1 }),
    ...ids.flatMap(() => [callTool("look"), say("Seen")]),
  ]);
  await host.createSession({ agent: "helper", id: asking }).send("Hi").response;
  for (const id of ids.filter((each) => each !== asking)) {
    await host.createSession({ agent: "helper", id }).send("Hi", { id: `t-${id}` }).response;
  }
  await host.close();
  const order = await listedIn(two);

  await moveSessions(two, three, { schema });

  const grown = hostOn(open(three), [say("Again"), say("Approved")]);
  const [id = ""] = talking;
  const session = await grown.open(id);
  const { text } = await session.send("Hi again").response;
  const asked = await grown.open(asking);
  const [call] = asked.pendingToolCalls;
  if (call === undefined) throw new Error("nothing is pending");
  const answered = await asked.approve(call).response;
  await grown.close();

  expect(order).toHaveLength(ids.length);
  expect(text).toBe("Again");
  expect(session.messages).toHaveLength(6);
  expect(await session.readOutput(`t-${id}_1_0`)).toBe(long);
  expect(answered).toMatchObject({ status: "completed", text: "Approved" });
  const isUntouched = (each: string): boolean => each !== id && each !== asking;
  expect((await listedIn(three)).filter(isUntouched)).toEqual(order.filter(isUntouched));
  expect(await listedIn(three.slice(2))).toHaveLength(movingIds().length);
});

test("sessions leave a database that is taken out", async () => {
  const before = open(three);
  for (const [index, id] of ids.entries()) {
    await before.create(id, [created()], head({ updatedAt: index }));
  }

  await moveSessions(three, two, { schema });

  expect(await listedIn(two)).toEqual(ids.toReversed());
  expect(await listedIn(three.slice(2))).toEqual([]);
  expect(told()).toEqual([]);
});

test("a move that was interrupted is completed by another one", async () => {
  const before = open(two);
  const after = open(three);
  const host = hostOn(
    before,
    ids.map(() => say("Hello")),
  );
  for (const id of ids) await host.createSession({ agent: "helper", id }).send("Hi").response;
  await host.close();
  const [copied = "", begun = "", moved = ""] = movingIds();
  for (const id of [copied, moved]) {
    const lines = await Array.fromAsync(exportSession(before, id));
    await importSession(after, lines, { id, now: Date.now(), trust: "own" });
  }
  await before.delete(moved);
  const [first] = (await before.read(begun, { limit: 1 })).entries;
  if (first === undefined) throw new Error("the session has no entry");
  await after.create(begun, [first as unknown as NewEntry], head());

  await moveSessions(two, three, { schema });

  expect((await listedIn(three)).toSorted()).toEqual(ids.toSorted());
  const grown = hostOn(after, []);
  for (const id of [copied, begun, moved]) {
    expect((await grown.open(id)).messages).toHaveLength(2);
  }
});

test("a move tells of each session, and goes on after it was stopped", async () => {
  const before = open(two);
  for (const id of ids) await before.create(id, [created()], head());
  const stop = new AbortController();
  const seen: string[] = [];
  const onMoved = (id: string): void => {
    seen.push(id);
    if (seen.length === 2) stop.abort();
  };

  const stopped = moveSessions(two, three, { schema, onMoved, signal: stop.signal });
  await expect(stopped).rejects.toThrow("aborted");
  const rest = await moveSessions(two, three, { schema, onMoved });

  expect(rest).toBe(movingIds().length - 2);
  expect(seen.toSorted()).toEqual(movingIds().toSorted());
  expect(await listedIn(three.slice(2))).toHaveLength(movingIds().length);
});

test("a process that is killed while it moves sessions loses none and leaves none twice", async () => {
  const before = open(two);
  const host = hostOn(
    before,
    ids.flatMap(() => [callTool("look"), say("Seen")]),
  );
  for (const id of ids) await host.createSession({ agent: "helper", id }).send("Hi").response;
  await host.close();

  // Each lives a little longer than the one before: they are killed at different points of a session.
  for (const lifeMs of [0, 4, 11]) await killAfterOne(lifeMs);
  await moveSessions(two, three, { schema });

  expect((await listedIn(three)).toSorted()).toEqual(ids.toSorted());
  expect(await listedIn(three.slice(2))).toHaveLength(movingIds().length);
  const grown = hostOn(open(three), []);
  for (const id of movingIds()) expect((await grown.open(id)).messages).toHaveLength(4);
  expect(told()).toEqual([]);
});

/** Moves one session, after the lease of the last mover is over, and then more, until it is killed. */
async function killAfterOne(lifeMs: number): Promise<void> {
  const script = fileURLToPath(new URL("./move-worker.ts", import.meta.url));
  const lists = [JSON.stringify(two), JSON.stringify(three)];
  const mover = fork(script, [schema, ...lists], { execArgv: ["--conditions=@capstan/source"] });
  const exited = once(mover, "exit");
  await Promise.race([once(mover, "message"), exited]);
  await new Promise((resolve) => setTimeout(resolve, lifeMs));
  mover.kill("SIGKILL");
  await exited;
}

test("a move out of a database that is away fails before anything is lost", async () => {
  const gone = "postgres://nobody@127.0.0.1:1/gone";
  const moving = moveSessions([...two, gone], two, { schema, timeoutMs: 2_000 });

  await expect(moving).rejects.toMatchObject({ code: "unavailable" });
});

test("sessions that have not moved yet are left out, and that is told", async () => {
  const before = open(two);
  for (const id of ids) await before.create(id, [created()], head({ status: "running" }));
  const after = open(three);

  const listed = (await after.list({ limit: 100 })).sessions.map(({ id }) => id);
  const query = { agents: ["helper"], owner: "me", ttlMs: 1_000, limit: 100 };
  const claims = await after.claimDue(query);

  const staying = ids.filter((id) => !movingIds().includes(id)).toSorted();
  expect(listed.toSorted()).toEqual(staying);
  expect(claims.map(({ lease }) => lease.sessionId).toSorted()).toEqual(staying);
  // Once for each of the databases that they are in.
  const left = new Set(movingIds().map((id) => databaseOf(two, id)));
  expect(told()).toEqual(Array.from(left, () => "CAPSTAN_SHARD_MISPLACED"));
});
