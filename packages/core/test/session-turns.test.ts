import { createAgent, createSession, defineTool, dependency } from "@capstan/core";
import type { SendInput, SendOptions } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { isLiveOnly } from "@capstan/log";
import {
  assertValidEvents,
  assertValidTranscript,
  callTool,
  echoTool,
  say,
  scriptedProvider,
  stall,
  usage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./world.ts";

test("a message that is sent runs a turn, and its response is its answer", async () => {
  const world = createWorld([callTool("echo", { text: "hi" }), say("Done")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "completed", text: "Done", finishReason: "stop" });
  expect(response.messages.map((message) => message.role)).toEqual([
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(session.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  assertValidTranscript(session.messages);
  expect(session).toMatchObject({ status: "completed", title: "Hello" });
});

test("the events of a turn minus the live-only ones are those of the log", async () => {
  const world = createWorld([callTool("echo", { text: "hi" }), say("Done")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");

  const events = await Array.fromAsync(turn);

  assertValidEvents(events);
  const ofEntries = world.events(session.id).map(({ event }) => event);
  expect(events.filter((event) => !isLiveOnly(event))).toEqual(ofEntries);
});

test("a second turn goes on with what the first has said", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First").response;

  await session.send("Second").response;

  expect(world.provider.requests[1]?.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "user",
  ]);
});

test("the instructions go to the provider with every request, and are not in the transcript", async () => {
  const world = createWorld([say("One")], [], { instructions: "Be brief." });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("First").response;

  expect(world.provider.requests[0]?.options.systemPrompt).toBe("Be brief.");
  expect(session.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("a turn whose model cannot be had fails with the reason", async () => {
  const world = createWorld([], [], { model: "fast" });
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("First").response;

  expect(response).toMatchObject({ status: "error", error: { code: "unknown_model" } });
});

test("the cost of a turn is in its response, its events and its log", async () => {
  const tokens = usage({ inputTokens: 1_000_000, outputTokens: 0 });
  const world = createWorld(
    [
      [callTool("echo"), tokens],
      [say("Done"), tokens],
    ],
    [echoTool()],
  );
  const price = { id: "2026-11", inputPerMillion: 2, outputPerMillion: 10 };
  const facts = { contextWindow: 10_000_000 };
  const model = { provider: world.provider, id: "big", price, facts };
  const agent = world.agent.with({ model, includeCost: true });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });

  const response = await session.send("First").response;

  expect(response.cost).toBe(4);
  expect(session.totalCost).toBe(4);
  const ends = world.entries(session.id).filter((entry) => entry.type === "attempt_ended");
  expect(ends).toMatchObject([
    { cost: 2, model: "scripted/big", priceId: "2026-11" },
    { cost: 2, model: "scripted/big", priceId: "2026-11" },
  ]);
});

test("nothing is stored before the first send", async () => {
  const world = createWorld([]);

  world.host().createSession({ agent: "helper" });

  expect(world.repository.list().sessions).toEqual([]);
});

test("a send while a turn runs is refused by a typed error, and the turn goes on", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("Done")]]);
  const session = world.host().createSession({ agent: "helper" });
  const first = session.send("First");

  const refused = await session.send("Second").response;
  open.resolve();

  expect(refused).toMatchObject({ status: "error", error: { code: "turn_unfinished" } });
  await expect(first.response).resolves.toMatchObject({ status: "completed", text: "Done" });
});

test("the same id sent twice is one turn, also when it is over and in another process", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello", { id: "t1" });
  const twice = session.send("Hello", { id: "t1" });
  const response = await turn.response;

  const elsewhere = await world.host().open(session.id);
  const again = elsewhere.send("Hello", { id: "t1" });

  expect(twice).toBe(turn);
  await expect(again.response).resolves.toEqual(response);
  const events: SessionEvent[] = await Array.fromAsync(again);
  assertValidEvents(events);
  expect(events.filter((event) => !isLiveOnly(event))).toEqual(
    world.events(session.id).map(({ event }) => event),
  );
  expect(events.filter((event) => event.type === "text_delta")).toMatchObject([{ delta: "Done" }]);
});

test("a provider that fails ends the turn with a response, not with an exception", async () => {
  const world = createWorld([]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "error", finishReason: "error" });
  expect(session.status).toBe("error");
});

test("leaving the loop early does not stop the turn", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");

  for await (const _ of turn) break;

  await expect(turn.response).resolves.toMatchObject({ text: "Done" });
});

test("an agent that the host does not know is a typed error that names those it knows", () => {
  const world = createWorld([]);
  const host = world.host();

  expect(() => host.createSession({ agent: "helpr" })).toThrow(
    expect.objectContaining({
      code: "unknown_agent",
      message: expect.stringContaining(
        'no agent "helpr": add it to createHost({ agents }). Known agents: helper',
      ),
    }),
  );
});

test("a session of an agent that the host does not know cannot be opened there", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const stranger = world.host({ agents: [world.agent.with({ name: "other" })] });

  await expect(stranger.open(session.id)).rejects.toMatchObject({ code: "unknown_agent" });
});

test("a session that is not there cannot be opened", async () => {
  const host = createWorld([]).host();

  await expect(host.open("nowhere")).rejects.toMatchObject({
    code: "not_found",
    sessionId: "nowhere",
  });
});

test.each<[what: string, input: SendInput, options: SendOptions]>([
  ["an empty text", "  ", {}],
  ["no messages", [], {}],
  [
    "an assistant message",
    // As a caller in JavaScript might.
    [{ role: "assistant", id: "a", content: [], stopReason: "stop" }] as never,
    {},
  ],
  ["an id with a space", "Hello", { id: "a b" }],
  ["an id with the reserved mark", "Hello", { id: "a__1" }],
])("%s is refused, and nothing is stored", async (_, input, options) => {
  const world = createWorld([]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send(input, options).response;

  expect(response).toMatchObject({ status: "error", error: { code: "invalid_input" } });
  expect(world.repository.list().sessions).toEqual([]);
});

test("waitForIdle waits for the turn and for what follows it", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("First");
  await session.followUp("Second");

  await session.waitForIdle();

  expect(session.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test("a closed host hands its turn over: its handle fails, and another host finishes the turn", async () => {
  const world = createWorld([[say("Half"), stall()], say("Done")]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);

  await host.close();
  const elsewhere = await world.host().open(session.id);

  await expect(turn.response).resolves.toMatchObject({ error: { code: "host_closed" } });
  await expect(elsewhere.current?.response).resolves.toMatchObject({ text: "Done" });
});

test("a session has the typed answer of its agent", async () => {
  const world = createWorld([say("Blue"), say('{"colour":"blue"}')], [], {
    output: z.object({ colour: z.string() }),
  });
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Which?").response;

  expect(response).toMatchObject({ status: "completed", output: { colour: "blue" } });
  expect(session.messages[2]).toMatchObject({ role: "user", source: "repair" });
});

test("createSession needs an agent and nothing else", async () => {
  const agent = createAgent({ model: scriptedProvider([say("Done")]) });

  const response = await createSession({ agent }).send("Hello").response;

  expect(response.text).toBe("Done");
});

test("tools of a session get their dependencies, and they end with the turn", async () => {
  const disposed: string[] = [];
  const Db = dependency("db", () => "db", { dispose: (db) => void disposed.push(db) });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    execute: async (_, context) => context.get(Db),
  });
  const world = createWorld([callTool("look", {}), say("Done")], [look]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;
  await session.waitForIdle();

  expect(session.messages[2]).toMatchObject({ content: "db" });
  expect(disposed).toEqual(["db"]);
});

test("run gives the answer, or throws a typed error that says why there is none", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });

  const answer = await session.run("Hello");

  expect(answer).toBe("Done");
  await expect(session.run("Again")).rejects.toMatchObject({ code: "no_answer" });
});

test("a title that is set is that of the session in every process", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.run("Hello");

  await session.configure({ title: "Greetings" });

  expect((await world.host().open(session.id)).title).toBe("Greetings");
});

test("a turn whose instructions never come fails in time, and its session goes on", async () => {
  let isHanging = true;
  const world = createWorld([say("Done")], [], {
    instructions: () => (isHanging ? new Promise<string>(() => {}) : "Be brief."),
  });
  const session = world.host().createSession({ agent: "helper" });

  const first = await world.clock.runUntil(session.send("Hello").response);
  isHanging = false;
  const second = await session.send("Again").response;

  expect(first).toMatchObject({
    status: "error",
    error: { message: expect.stringContaining("30000 ms") },
  });
  expect(second).toMatchObject({ status: "completed" });
});
