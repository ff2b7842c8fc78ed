/** The events of a session and of its child sessions over one connection. */
import { agentTool, createAgent } from "@capstan/core";
import type { Agent } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  deferredTool,
  echoTool,
  reply,
  say,
  scriptedProvider,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import type { Frame } from "./sse.ts";
import { StreamReader, typesOf } from "./sse.ts";
import { childrenOf, factsOf, storedFacts } from "./tree-facts.ts";
import type { World, WorldOptions } from "./world.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const ask = (task: string): ScriptItem => callTool("reader", { task });

function asTool(script: readonly ScriptItem[], tools: readonly ToolContract[] = []): ToolContract {
  const retry = { maxAttempts: 1 };
  const model = scriptedProvider([...script]);
  const reader: Agent = createAgent({ name: "reader", model, tools, retry });
  return agentTool(reader, { description: "Reads" });
}

async function begin(
  script: readonly ScriptItem[],
  child: ToolContract,
  options: WorldOptions = {},
): Promise<World & { readonly sessionId: string }> {
  const world = await createWorld([say("Hello"), ...script], { ...options, tools: [child] });
  const { sessionId } = await world.execute({ input: "Hi" });
  return { ...world, sessionId };
}

async function follow(
  world: World,
  sessionId: string,
  headers = {},
  query = "",
): Promise<StreamReader> {
  const path = `/api/agent/session/${sessionId}/events?tree=1${query}`;
  const reader = new StreamReader(await world.request(path, { headers }));
  await reader.until("stream_start");
  return reader;
}

test("a tree is streamed over one connection, with a cursor for each event in its own session", async () => {
  const world = await begin([ask("A"), say("Done")], asTool([say(["a ", "book"])]));
  const { sessionId } = world;
  const reader = await follow(world, sessionId, {}, "&after=0.0");

  await world.execute({ input: "Go", sessionId });
  const ids = [sessionId, ...childrenOf(world, sessionId)];
  const stored = ids.map((id) => [id, storedFacts(world, id)] as const);
  await readFacts(reader, sessionId, stored.flatMap(([, facts]) => facts).length);

  expect(ids).toHaveLength(2);
  expect(factsOf(sessionId, reader.seen)).toEqual(Object.fromEntries(stored));
});

test("a reader that was cut continues after the last id it has, wherever that was", async () => {
  const both = reply(ask("A"), ask("B"));
  const child = asTool([say(["a ", "book"]), say("a page")]);
  const world = await begin([both, say("Done")], child);
  const { sessionId } = world;
  await world.execute({ input: "Go", sessionId });
  const whole = await readWhole(world, sessionId);
  const ids = whole.map(({ id }, index) => ({ id, index })).filter(({ id }) => id !== undefined);

  for (const { id, index } of ids) {
    const rest = await follow(world, sessionId, { "last-event-id": id });
    const seen = whole.slice(0, index + 1);
    const wanted = factsOf(sessionId, whole);
    const count = countOf(wanted) - countOf(factsOf(sessionId, seen));
    await readFacts(rest, sessionId, count);
    expect(factsOf(sessionId, [...seen, ...rest.seen])).toEqual(wanted);
    await rest.leave();
  }

  expect(ids.length).toBeGreaterThan(20);
});

/** Reads until this many facts have arrived. */
async function readFacts(reader: StreamReader, sessionId: string, count: number): Promise<void> {
  while (countOf(factsOf(sessionId, reader.seen)) < count) await reader.next();
}

const countOf = (facts: Record<string, readonly unknown[]>): number =>
  Object.values(facts).flat().length;

/** All frames of a tree that has come to rest. */
async function readWhole(world: World, sessionId: string): Promise<readonly Frame[]> {
  const reader = await follow(world, sessionId, {}, "&after=0.0");
  const ids = [sessionId, ...childrenOf(world, sessionId)];
  const count = ids.flatMap((id) => storedFacts(world, id)).length;
  await readFacts(reader, sessionId, count);
  await reader.leave();
  return reader.seen;
}

test("live frames have no id, and facts have one that lists the children at work", async () => {
  const open = Promise.withResolvers<void>();
  const child = asTool([[say("a "), wait(open.promise), say("book")]]);
  const world = await begin([ask("A"), say("Done")], child);
  const { sessionId } = world;
  const reader = await follow(world, sessionId);
  const turn = world.execute({ input: "Go", sessionId });

  await reader.until("text_delta");
  const during = reader.seen.findLast(({ id }) => id !== undefined);
  open.resolve();
  await turn;
  await reader.until("settled");
  await reader.until("settled");

  const live = reader.seen.filter(({ data }) => data.type.endsWith("_delta"));
  expect(live.map(({ id }) => id)).toEqual(live.map(() => undefined));
  expect(during?.id).toMatch(/^\d+\.\d+\(\d+:\d+\.\d+\(\)\)$/);
  expect(reader.seen.at(-1)?.id).toMatch(/^\d+\.\d+\(\)$/);
});

test("a hundred children at work make ids of less than 2,000 characters", async () => {
  const slow = deferredTool();
  const child = asTool(
    [...Array.from({ length: 100 }, () => callTool("deferred")), say("ok")],
    [slow],
  );
  const tasks = Array.from({ length: 100 }, (_, index) => ask(String(index)));
  const world = await begin([reply(...tasks), say("Done")], child, {
    agent: { dispatch: { mode: "parallel", maxParallel: 100 } },
  });
  const { sessionId } = world;
  const reader = await follow(world, sessionId);
  const turn = world.execute({ input: "Go", sessionId });

  await slow.whenStarted(100);
  const started = new Set<unknown>();
  while (started.size < 101) started.add((await reader.until("turn_start")).data["sessionId"]);
  const last = reader.seen.findLast(({ id }) => id !== undefined)?.id ?? "";
  await world.post(`/api/agent/session/${sessionId}/cancel`, { turnId: turnIdOf(reader.seen) });
  await turn;

  expect(last.match(/:/g)).toHaveLength(100);
  expect(last.length).toBeLessThan(2_000);
});

function turnIdOf(frames: readonly Frame[]): string {
  return String(frames.find(({ data }) => data.type === "turn_start")?.data["turnId"]);
}

test.each(["x", "12", "1.2(", "1.2(3)", "1.2(3:4.5)", `1.1(${"1:1.1(),".repeat(2_000)}9:1.1())`])(
  "an invalid composite cursor is refused, in the query and in the header",
  async (cursor) => {
    const world = await begin([], asTool([]));
    const path = `/api/agent/session/${world.sessionId}/events?tree=1`;

    const query = await world.request(`${path}&after=${cursor}`);
    const header = await world.request(path, { headers: { "last-event-id": cursor } });

    expect([query.status, header.status].every((status) => status === 400 || status === 431)).toBe(
      true,
    );
  },
);

test("a cursor ahead of the session, and a composite one without tree, are refused", async () => {
  const world = await begin([], asTool([]));
  const path = `/api/agent/session/${world.sessionId}/events`;

  const ahead = await errorOf(await world.request(`${path}?tree=1&after=900.1()`));
  const plain = await errorOf(await world.request(`${path}?after=1.1()`));
  const unknown = await errorOf(await world.request(`${path}?tree=yes`));

  expect(ahead).toMatchObject({ status: 409, code: "cursor_ahead" });
  expect(plain).toMatchObject({ status: 400, code: "invalid_request", paths: ["after"] });
  expect(unknown).toMatchObject({ status: 400, code: "invalid_request", paths: ["tree"] });
});

test("a tree stream counts as one stream of its principal, however many sessions it has", async () => {
  const slow = deferredTool();
  const child = asTool([callTool("deferred"), callTool("deferred"), say("a"), say("b")], [slow]);
  const limits = { streamsPerPrincipal: 2 };
  const world = await begin([reply(ask("A"), ask("B")), say("Done")], child, {
    server: { limits },
  });
  const { sessionId } = world;
  const reader = await follow(world, sessionId);

  const turn = world.execute({ input: "Go", sessionId });
  const calls = await slow.whenStarted(2);
  const another = await world.request(`/api/agent/session/${sessionId}/events`);
  for (const { toolCallId } of calls) slow.resolve(toolCallId, "ok");
  const { complete } = await turn;
  await reader.leave();

  expect(another.status).toBe(429);
  expect(complete).toMatchObject({ type: "execute_complete", finishReason: "stop" });
});

test("a child is read and answered by its id by the principal of its root alone, and takes no input", async () => {
  const child = asTool(
    [callTool("echo", { text: "x" }), say("ok")],
    [echoTool({ needsApproval: true })],
  );
  const world = await begin([ask("A"), say("Done")], child);
  const { sessionId } = world;
  await world.execute({ input: "Go", sessionId });
  const [childId = ""] = childrenOf(world, sessionId);
  const path = `/api/agent/session/${childId}`;

  const foreign = await world.request(path, {}, tokens.bob);
  const foreignTree = await world.request(`${path}/events?tree=1`, {}, tokens.bob);
  const own = (await (await world.request(path)).json()) as {
    pendingToolCalls: { toolCallId: string; hash: string }[];
  };
  const refused = [
    await world.post("/api/agent/execute", { input: "Me, too", sessionId: childId }),
    await world.post(`${path}/steer`, { input: "Me, too" }),
    await world.post(`${path}/follow-up`, { input: "Me, too" }),
    await world.post(`${path}/rewind`, { to: "x" }),
    await world.post("/api/chat", {
      id: childId,
      messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }],
    }),
  ];
  const errors = await Promise.all(refused.map(errorOf));
  const [{ toolCallId, hash } = { toolCallId: "", hash: "" }] = own.pendingToolCalls;
  const root = await follow(world, sessionId);
  const answered = await world.post(`${path}/answers`, {
    answers: [{ toolCallId, hash, approved: true }],
  });
  await root.until("settled");

  expect([foreign.status, foreignTree.status]).toEqual([404, 404]);
  expect(errors.map(({ status, code }) => `${status} ${code}`)).toEqual(
    errors.map(() => "409 child_session"),
  );
  expect(answered.status).toBe(202);
  await root.until("settled");
  expect(typesOf(root.seen)).toContain("child_ended");
});

test("a slow reader of a tree loses no fact", async () => {
  const words = Array.from({ length: 400 }, (_, n) => `word ${n} `);
  const child = asTool([say(words), say(words)]);
  const limits = { maxUnreadChars: 500 };
  const world = await begin([reply(ask("A"), ask("B")), say(words)], child, { server: { limits } });
  const { sessionId } = world;
  const reader = await follow(world, sessionId, {}, "&after=0.0");

  await world.execute({ input: "Go", sessionId });
  const ids = [sessionId, ...childrenOf(world, sessionId)];
  const count = ids.flatMap((id) => storedFacts(world, id)).length;
  await readFacts(reader, sessionId, count);

  const facts = factsOf(sessionId, reader.seen);
  for (const id of ids) expect(facts[id]).toEqual(storedFacts(world, id));
});
