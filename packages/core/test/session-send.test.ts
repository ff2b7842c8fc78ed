/** The ways to start a turn, all of them over `send`, and the handle that they give. */
import { execute } from "@capstan/core";
import type { Session, TurnRequest } from "@capstan/core";
import type { Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import {
  assertValidEvents,
  callTool,
  remoteTool,
  reply,
  say,
  stall,
  tinyImage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const request: TurnRequest = { input: "Hello", id: "t1", maxTokens: 9, metadata: { from: "test" } };

const ways: Record<string, (session: Session) => Turn<unknown, SessionEvent>> = {
  send: (session) => session.send("Hello", { id: "t1", maxTokens: 9, metadata: { from: "test" } }),
  "send with a request": (session) => session.send(request),
  "send with a request and options, which come first": (session) =>
    session.send({ ...request, maxTokens: 1 }, { maxTokens: 9 }),
  turn: (session) => session.turn(request),
  runStream: (session) => session.runStream("Hello", request),
  execute: (session) => execute(session, request),
  "execute with options": (session) => execute(session, "Hello", request),
  "execute with a tree of one session": (session) => execute(session, request, { tree: true }),
};

test.each(Object.keys(ways))(
  "%s: the same turn, the same events, the same response",
  async (way) => {
    const world = createWorld([say("Hi")]);
    const session = world.host().createSession({ agent: "helper" });

    const turn = ways[way]?.(session) as Turn<unknown, SessionEvent>;
    const events = await Array.fromAsync(turn);
    const response = await turn.result();

    assertValidEvents(events);
    expect(turn.id).toBe("t1");
    expect(response).toMatchObject({ status: "completed", text: "Hi" });
    expect(session.messages[0]).toEqual({
      role: "user",
      id: "t1",
      content: "Hello",
      metadata: { from: "test" },
    });
    expect(world.provider.requests[0]?.options.maxTokens).toBe(9);
  },
);

test("execute goes on with answers, as send does", async () => {
  const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await execute(session, "Hello").response;

  const answers = session.pendingToolCalls.map(({ toolCallId }) => ({
    toolCallId,
    output: "yes",
  }));
  const { text } = await execute(session, answers).response;

  expect(text).toBe("Done");
});

test("metadata stays with what is made of a text or of parts, and a message has its own", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const image = tinyImage;

  await session.send([image], { metadata: { from: "camera" } }).response;
  await session.send({ role: "user", content: "Mine", metadata: { own: true } }).response;

  const elsewhere = await world.host().open(session.id);
  expect(elsewhere.messages.filter(({ role }) => role === "user")).toMatchObject([
    { content: [image], metadata: { from: "camera" } },
    { content: "Mine", metadata: { own: true } },
  ]);
});

test("steering and follow-ups may have parts, too", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const image = tinyImage;

  await session.steer([image]);
  await session.waitForIdle();
  await session.followUp({ role: "user", content: [{ type: "text", text: "And this" }] });
  await session.waitForIdle();

  expect(world.provider.requests[1]?.messages).toMatchObject([
    { content: [image] },
    { role: "assistant" },
    { content: [{ text: "And this" }] },
  ]);
});

test("the events of a turn can be read once, and a second reader is told so", async () => {
  const world = createWorld([say("Hi")]);
  const turn = world.host().createSession({ agent: "helper" }).send("Hello");
  await Array.fromAsync(turn.events);

  await expect(Array.fromAsync(turn.events)).rejects.toMatchObject({ code: "already_read" });
  await expect(turn.result()).resolves.toEqual(await turn.response);
});

test("who reads the events late gets all of them", async () => {
  const world = createWorld([say(["Hel", "lo"])]);
  const turn = world.host().createSession({ agent: "helper" }).send("Hello");
  await turn.response;

  const events = await Array.fromAsync(turn);

  assertValidEvents(events);
  const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
  expect(deltas.join("")).toBe("Hello");
});

test("the turn under way is there for everybody who has the session, and gone with its end", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("Hi")]]);
  const host = world.host();
  const session = host.createSession({ agent: "helper" });
  const before = session.current;
  const turn = session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  const again = await host.open(session.id);
  const during = [session.current, again.current];

  open.resolve();
  const response = await turn.response;

  expect(before).toBeUndefined();
  expect(during).toEqual([turn, turn]);
  expect(response.text).toBe("Hi");
  expect(session.current).toBeUndefined();
});

test("no turn is under way while calls wait for answers", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;

  expect(session.status).toBe("awaiting_tool_execution");
  expect(session.current).toBeUndefined();
});

test("run says why there is no answer: it waits for somebody, or was stopped", async () => {
  const world = createWorld([callTool("remote"), reply(say("Half"), stall())], [remoteTool()]);
  const host = world.host();
  const waiting = host.createSession({ agent: "helper" }).run("Hello");
  await expect(waiting).rejects.toMatchObject({
    code: "no_answer",
    message: expect.stringContaining("awaiting_tool_execution"),
  });
  const controller = new AbortController();
  const session = host.createSession({ agent: "helper" });
  const stopped = session.run("Hello", { signal: controller.signal });
  await world.clock.advance(0);

  controller.abort();

  await expect(stopped).rejects.toMatchObject({
    code: "no_answer",
    sessionId: session.id,
    message: expect.stringContaining("aborted"),
  });
});

test.each([
  ["an object that is no message", {}],
  ["a list of texts", ["one", "two"]],
  ["a list with nothing in a place", [null]],
  ["nothing", null],
])("%s is refused in words that help, and nothing is stored", async (_, input) => {
  const session = createWorld([]).host().createSession({ agent: "helper" });

  // Callers in JavaScript send what they like.
  const { error } = await session.send(input as never).response;

  expect(error).toMatchObject({ name: "SessionError", code: "invalid_input" });
  expect(session.messages).toEqual([]);
});
