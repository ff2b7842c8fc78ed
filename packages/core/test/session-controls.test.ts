/** State, subscriptions and waiting: how a session is controlled. The queue modes are in `queue-modes.test.ts`. */
import { createAgent, createSession } from "@capstan/core";
import type { Session, SessionState } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { callTool, echoTool, say, scriptedProvider, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const past: readonly ChatMessage[] = [
  { role: "user", id: "u1", content: "Hello" },
  { role: "assistant", id: "a1", content: [{ type: "text", text: "Hi" }], stopReason: "stop" },
];

test("default state: nothing was said, nothing is queued, nothing runs", () => {
  const session = createSession({ agent: createAgent({ model: scriptedProvider([]) }) });

  expect(session.state).toEqual({
    instructions: undefined,
    runningToolCalls: [],
    status: "idle",
    model: "scripted",
    thinkingLevel: undefined,
    tools: [],
    messages: [],
    streamingMessage: undefined,
    pendingToolCalls: [],
    queues: { steering: [], followUp: [] },
    usage: {},
    totalCost: undefined,
    error: undefined,
  });
});

test("default state: a session begins with what its agent has and what it is created with", () => {
  const agent = createAgent({
    model: { provider: scriptedProvider([]), id: "big" },
    tools: [echoTool()],
    thinkingLevel: "low",
  });

  const plain = createSession({ agent });
  const chosen = createSession({
    agent,
    history: past,
    config: { thinkingLevel: "high", tools: [], model: "scripted/small" },
  });

  expect(plain.state).toMatchObject({
    model: "scripted/big",
    tools: ["echo"],
    thinkingLevel: "low",
  });
  expect(chosen.state).toMatchObject({
    status: "idle",
    model: "scripted/small",
    tools: [],
    thinkingLevel: "high",
    messages: past,
  });
});

test.each<[what: string, set: (session: Session) => Promise<void>, state: Partial<SessionState>]>([
  ["model", (session) => session.configure({ model: "vendor/big" }), { model: "vendor/big" }],
  ["level", (session) => session.configure({ thinkingLevel: "high" }), { thinkingLevel: "high" }],
  ["tools", (session) => session.configure({ tools: ["echo"] }), { tools: ["echo"] }],
  ["messages", (session) => session.loadHistory(past), { messages: past }],
  ["messages, to none", (session) => session.clearHistory(), { messages: [], status: "idle" }],
])("settings: %s can be set, in every host", async (_, set, state) => {
  const world = createWorld([say("Done")], [echoTool(), echoTool({ name: "other" })]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await set(session);

  const elsewhere = await world.host().open(session.id);
  expect(session.state).toMatchObject(state);
  expect(elsewhere.state).toEqual(session.state);
});

test("settings: instructions that are set reach the next request", async () => {
  const world = createWorld([say("One"), say("Two")], [], { instructions: "Be brief." });
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await session.configure({ instructions: "Be long." });
  await session.send("Again").response;

  const prompts = world.provider.requests.map(({ options }) => options.systemPrompt);
  expect(prompts).toEqual(["Be brief.", "Be long."]);
});

test("subscribe: each listener gets every event until it leaves, whatever the others do", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const stays: SessionEvent[] = [];
  const leaves: SessionEvent[] = [];
  session.subscribe((event) => stays.push(event));
  const unsubscribe = session.subscribe((event) => leaves.push(event));
  await session.send("First").response;
  await session.waitForIdle();
  const ofFirst = [...stays];

  unsubscribe();
  unsubscribe();
  await session.send("Second").response;

  expect(ofFirst.map((event) => event.type)).toContain("text_delta");
  expect(leaves).toEqual(ofFirst);
  expect(stays.length).toBeGreaterThan(ofFirst.length);
});

test("a prompt while a turn streams is refused, and nothing is lost", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say("On"), wait(open.promise), say("e")], say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const first = session.send("First");
  await world.clock.advance(0);

  const refused = await session.send("Second").response;
  open.resolve();
  const { text } = await first.response;
  const again = await session.send("Second").response;

  expect(refused).toMatchObject({ status: "error", error: { code: "turn_unfinished" } });
  expect(text).toBe("One");
  expect(again).toMatchObject({ status: "completed", text: "Two" });
  expect(session.messages.filter(({ role }) => role === "user")).toMatchObject([
    { content: "First" },
    { content: "Second" },
  ]);
});

test("continue while a turn streams is refused, and the turn goes on", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("One")]]);
  const session = world.host().createSession({ agent: "helper" });
  const first = session.send("First");
  await world.clock.advance(0);

  const refused = await session.continue().response;
  open.resolve();

  expect(refused).toMatchObject({ status: "error", error: { code: "turn_unfinished" } });
  await expect(first.response).resolves.toMatchObject({ status: "completed", text: "One" });
  expect(world.provider.requests).toHaveLength(1);
});

test("the session id is sent with every request of the session, in every host", async () => {
  const world = createWorld([callTool("echo"), say("One"), say("Two"), say("Other")], [echoTool()]);
  const host = world.host();
  const session = host.createSession({ agent: "helper", id: "session-1" });
  await session.send("First").response;
  await (await world.host().open("session-1")).send("Second").response;

  await host.createSession({ agent: "helper", id: "session-2" }).send("Hello").response;

  const ids = world.provider.requests.map(({ options }) => options.sessionId);
  expect(ids).toEqual(["session-1", "session-1", "session-1", "session-2"]);
});

test("waitForIdle resolves after the turns, for every caller, and not before", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("One")], say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const lengths: number[] = [];
  const note = (): unknown => lengths.push(session.messages.length);
  session.send("First");
  await session.followUp("Second");
  const waiting = [session.waitForIdle().then(note), session.waitForIdle().then(note)];
  await world.clock.advance(5_000);
  const early = [...lengths];

  open.resolve();
  await Promise.all(waiting);

  expect(early).toEqual([]);
  expect(lengths).toEqual([4, 4]);
});

test("waitForIdle resolves at once if nothing runs", async () => {
  const session = createWorld([say("One")])
    .host()
    .createSession({ agent: "helper" });

  await session.waitForIdle();
  await session.send("Hello").response;
  await session.waitForIdle();
  await session.waitForIdle();

  expect(session.status).toBe("completed");
});
