import { defineTool, dependency } from "@capstan/core";
import type { QueuedInput, Session } from "@capstan/core";
import { callTool, deferredTool, echoTool, reply, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("an abort of one turn does not abort the next one", async () => {
  const world = createWorld([reply(say("Half"), stall()), say("Two"), say("Three")]);
  let gate = Promise.resolve();
  const resolveModel = async () => {
    await gate;
    return { provider: world.provider, id: "" };
  };
  const agent = world.agent.with({ model: "named", resolveModel });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
  const first = session.send("First");
  await world.clock.advance(0);
  await session.abort();
  await first.response;
  await session.waitForIdle();

  const open = Promise.withResolvers<void>();
  gate = open.promise;
  const second = session.send("Second");
  await world.clock.advance(0);
  await session.steer("And this"); // any entry that is folded while the turn is being planned
  open.resolve();

  await expect(second.response).resolves.toMatchObject({ status: "completed", text: "Two" });
});

test.each<[string, object]>([
  ["a hash that is no string", { hash: 5, approved: true }],
  ["a decision that is no boolean", { hash: "x", approved: "yes" }],
  ["a reason that is no string", { hash: "x", approved: true, reason: 5 }],
])("an approval with %s is refused, and the call waits on", async (_, approval) => {
  const world = createWorld([callTool("echo")], [echoTool({ needsApproval: true })]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello", { id: "t1" }).response;

  const response = await session.send([{ toolCallId: "t1_1_0", ...approval }] as never).response;

  expect(response).toMatchObject({ status: "error", error: { code: "invalid_input" } });
  const elsewhere = await world.host().open(session.id);
  expect(elsewhere.status).toBe("awaiting_tool_execution");
});

test.each<[string, unknown]>([
  ["without content", { role: "user" }],
  ["whose content is a number", { role: "user", content: 5 }],
])("a message %s is refused", async (_, message) => {
  const world = createWorld([say("Hi")]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send(message as never).response;

  expect(response).toMatchObject({ status: "error", error: { code: "invalid_input" } });
});

test.each<[string, QueuedInput]>([
  ["an empty message", { role: "user", content: "" }],
  ["a message without parts", { role: "user", content: [] }],
  ["an empty text part", [{ type: "text", text: "" }]],
])("%s is refused as input, steering and follow-up, and leaves no message", async (_, input) => {
  const world = createWorld([say("Hi")]);
  const session = world.host().createSession({ agent: "helper" });
  const refused = { code: "invalid_input" };

  const { error } = await session.send(input).response;

  expect(error).toMatchObject(refused);
  await expect(session.steer(input)).rejects.toMatchObject(refused);
  await expect(session.followUp(input)).rejects.toMatchObject(refused);
  expect(session.messages).toEqual([]);
});

test("a message id that is in the transcript already is refused", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send({ role: "user", id: "u1", content: "First" }).response;

  const { error } = await session.send({ role: "user", id: "u1", content: "Second" }).response;

  expect(error).toMatchObject({ code: "invalid_input" });
  expect(session.messages).toHaveLength(2);
});

test("two messages of one send may not have the same id", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  const message = { role: "user", id: "u1", content: "Hello" } as const;

  const { error } = await session.send([message, message]).response;

  expect(error).toMatchObject({ code: "invalid_input" });
  expect(session.messages).toEqual([]);
});

test("steering with the id of an earlier send is refused", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello", { id: "a" }).response;

  const steering = session.steer("Something else", { id: "a" });

  await expect(steering).rejects.toMatchObject({ code: "id_conflict" });
});

test("a send with the id of a delivered steering is refused", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Two")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go");
  const [call] = await tool.whenStarted();
  await session.steer("Indoors", { id: "s1" });
  tool.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;

  const { error } = await session.send("Again", { id: "s1" }).response;

  expect(error).toMatchObject({ code: "id_conflict" });
});

test("a subscriber that rejects is not an unhandled rejection", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  const unhandled: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => unhandled.push(reason));
  // oxlint-disable-next-line no-misused-promises -- an async listener type-checks where `() => void` is asked for
  session.subscribe(async () => {
    throw new Error("listener");
  });

  await session.send("Hello").response;
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.removeAllListeners("unhandledRejection");
  for (const other of others) process.on("unhandledRejection", other as never);

  expect(unhandled).toEqual([]);
});

test.each(["instructions", "resolveModel"])(
  "an abort does not wait for %s that never return",
  async (place) => {
    const world = createWorld([say("One")]);
    const agent = world.agent.with({
      model: "named",
      resolveModel: () => ({ provider: world.provider, id: "" }),
      [place]: () => new Promise(() => {}),
    });
    const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(0);

    await session.abort();
    await world.clock.advance(1_000); // the grace period of a tool

    await expect(turn.response).resolves.toMatchObject({ status: "aborted" });
  },
);

test("getApiKey has the limit of a callback, and is named in the error", async () => {
  const world = createWorld([say("One")], [], { getApiKey: () => new Promise<string>(() => {}) });
  const session = world.host().createSession({ agent: "helper" });
  const startedAt = world.clock.now();

  const { error } = await world.clock.runUntil(session.send("Hello").response);

  expect(world.clock.now() - startedAt).toBe(30_000);
  expect(error?.message).toContain("getApiKey");
});

test("deadlines.callbackMs is the limit of instructions as well", async () => {
  const world = createWorld([say("One")], [], {
    deadlines: { callbackMs: 2_000 },
    instructions: () => new Promise<string>(() => {}),
  });
  const session = world.host().createSession({ agent: "helper" });
  const startedAt = world.clock.now();

  const { error } = await world.clock.runUntil(session.send("Hello").response);

  expect(world.clock.now() - startedAt).toBe(2_000);
  expect(error).toMatchObject({ code: "callback_failed" });
});

test("the response of a typed answer resolves, though the schema hangs when it is asked again", async () => {
  let asked = 0;
  const validate = (value: unknown) =>
    (asked += 1) === 1 ? { value } : new Promise<never>(() => {});
  const output = {
    "~standard": { version: 1, vendor: "x", validate, jsonSchema: { input: () => ({}) } },
  } as const;
  const world = createWorld([say("{}")], [], { output });
  const session = world.host().createSession({ agent: "helper" });
  const { response } = session.send("Hello");

  await world.clock.advance(60_000);

  await expect(response).resolves.toMatchObject({ status: "completed", text: "{}" });
});

test("a host that is closed runs nothing more through handles that it gave out", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  await session.send("First").response;
  await host.close();

  const response = await session.send("Second").response;

  expect(response).toMatchObject({ status: "error", error: { code: "host_closed" } });
});

test("what a closed session keeps for its tools is disposed with the host", async () => {
  const story: string[] = [];
  const Db = dependency("db", () => story.push("made"), {
    scope: "session",
    dispose: () => void story.push("disposed"),
  });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: async (_, { get }) => get(Db),
  });
  const world = createWorld([callTool("look"), say("One"), callTool("look"), say("Two")], [look]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  await session.send("First").response;
  await session.close();

  await session.send("Second").response;
  await session.waitForIdle();
  await host.close();

  expect(story.filter((what) => what === "disposed")).toHaveLength(
    story.filter((what) => what === "made").length,
  );
});

test.each<[string, (session: Session) => Promise<unknown>]>([
  ["waitForIdle", (session) => session.waitForIdle()],
  ["the outcome of a receipt", async (session) => (await session.steer("Never mind")).outcome],
  [
    "clearQueue",
    async (session) => {
      await session.steer("Never mind");
      return session.clearQueue();
    },
  ],
])("%s is refused when its host is closed", async (_, wait) => {
  const world = createWorld([stall()]);
  const host = world.host({ pollMs: Infinity });
  const session = host.createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);
  const refused = expect(wait(session)).rejects.toMatchObject({ code: "host_closed" });
  await world.clock.advance(0);

  await host.close();

  await refused;
});

test("a logger that rejects while a dependency is disposed is not an unhandled rejection", async () => {
  const unhandled: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => unhandled.push(reason));
  const Db = dependency("db", () => "db", { dispose: () => Promise.reject(new Error("locked")) });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: async (_, { get }) => get(Db),
  });
  const logger = {
    log: async () => {
      throw new Error("log");
    },
    startSpan: () => ({ setAttributes: () => {}, end: () => {} }),
  };
  const world = createWorld([callTool("look"), say("One")], [look], { logger });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.removeAllListeners("unhandledRejection");
  for (const other of others) process.on("unhandledRejection", other as never);

  expect(unhandled).toEqual([]);
});

test("a turn that was cancelled before anybody had it ends at once, and no model is looked up", async () => {
  const world = createWorld([say("One")]);
  const first = world.host({ pollMs: Infinity });
  const session = first.createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.waitForIdle();
  await first.close();
  const message = { role: "user", id: "t2", content: "Again" } as const;
  world.repository.post(session.id, { v: 1, type: "input", id: "t2", at: 0, messages: [message] });
  const cancel = { v: 1, type: "cancel_requested", id: "x1", at: 0, turnId: "t2" } as const;
  world.repository.post(session.id, cancel);
  let lookedUp = 0;
  const resolveModel = () => {
    lookedUp += 1;
    return new Promise<never>(() => {});
  };

  const agent = world.agent.with({ model: "named", resolveModel });
  await world.host({ agents: [agent], pollMs: Infinity }).claimDue();
  await world.clock.advance(0);

  expect(world.entries(session.id).at(-1)).toMatchObject({
    type: "turn_ended",
    turnId: "t2",
    finishReason: "aborted",
  });
  expect(lookedUp).toBe(0);
});
