/** Turns of an agent without a session: what may be passed to them, and what they leave behind. */
import { createAgent, defineTool, dependency } from "@capstan/core";
import type { TurnInput } from "@capstan/core";
import {
  assertValidEvents,
  callTool,
  echoTool,
  failBefore,
  manualClock,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";

test("an agent says what it is: its name, model, tools, level and folder", () => {
  const model = scriptedProvider([]);
  const tools = [echoTool()];
  const plain = createAgent({ model });
  const full = createAgent({
    name: "helper",
    model: "fast",
    tools,
    thinkingLevel: "low",
    cwd: "/work",
  });

  expect(plain).toMatchObject({
    name: "agent",
    model,
    tools: [],
    thinkingLevel: undefined,
    cwd: undefined,
  });
  expect(full).toMatchObject({
    name: "helper",
    model: "fast",
    tools,
    thinkingLevel: "low",
    cwd: "/work",
  });
});

test("a turn has the id, the metadata and the options that it is started with", async () => {
  const model = scriptedProvider([say("Hi")]);
  const request = { id: "t1", input: "Hello", metadata: { from: "test" }, maxTokens: 5 };

  const turn = createAgent({ model }).runTurn(request);
  const events = await Array.fromAsync(turn);

  assertValidEvents(events);
  expect(turn.id).toBe("t1");
  expect(events[0]).toMatchObject({ type: "turn_start", turnId: "t1", sessionId: "t1" });
  expect(model.requests[0]).toMatchObject({
    messages: [{ id: "t1", content: "Hello", metadata: { from: "test" } }],
    options: { maxTokens: 5, sessionId: "t1" },
  });
});

test("a signal stops the turn, its model and its tools, also one that has fired before", async () => {
  const agent = createAgent({ model: scriptedProvider([reply(say("Half"), stall())]) });
  const controller = new AbortController();
  const turn = agent.runTurn({ input: "Hello", signal: controller.signal });
  for await (const event of turn) if (event.type === "text_delta") controller.abort();

  const stopped = await turn.response;
  const never = await agent.runTurn({ input: "Hello", signal: AbortSignal.abort() }).response;

  expect(stopped).toMatchObject({ status: "aborted", text: "Half" });
  expect(never).toMatchObject({ status: "aborted", messages: [] });
});

test("a call that waits is in the response, for the caller to do with as he likes", async () => {
  const model = scriptedProvider([callTool("remote", { n: 1 })]);
  const agent = createAgent({ model, tools: [remoteTool()] });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response).toMatchObject({
    status: "awaiting_tool_execution",
    pendingToolCalls: [{ toolName: "remote", input: { n: 1 }, kind: "execution" }],
  });
});

test.each<[what: string, input: TurnInput]>([
  ["an empty text", " "],
  ["an empty list", []],
])("%s is the error of the response, and no model is asked", async (_, input) => {
  const model = scriptedProvider([]);

  const response = await createAgent({ model }).runTurn({ input }).response;

  expect(response).toMatchObject({ status: "error", error: { code: "invalid_input" } });
  expect(model.requests).toEqual([]);
});

test("time is that of the clock that is given", async () => {
  const clock = manualClock(1_000);
  const model = scriptedProvider([failBefore("overloaded"), say("Hi")]);
  const turn = createAgent({ model }).runTurn({ input: "Hello" }, [], { clock });

  await clock.runUntil(turn.response);
  const events = await Array.fromAsync(turn);

  expect(clock.now()).toBe(1_500);
  expect(events.at(-1)).toMatchObject({ type: "turn_end", durationMs: 500 });
  expect(clock.pending()).toBe(0);
});

test("what the tools of a turn had made is disposed, though the turn failed or was stopped", async () => {
  const story: string[] = [];
  const Db = dependency("db", () => story.push("made"), {
    dispose: () => void story.push("disposed"),
  });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: async (_, context) => context.get(Db),
  });
  const script = [
    callTool("look"),
    failBefore("auth"),
    callTool("look"),
    reply(say("Half"), stall()),
  ];
  const agent = createAgent({ model: scriptedProvider(script), tools: [look] });

  const failed = await agent.runTurn({ input: "Hello" }).response;
  const turn = agent.runTurn({ input: "Hello" });
  for await (const event of turn) if (event.type === "text_delta") turn.abort();
  const stopped = await turn.response;

  expect([failed.status, stopped.status]).toEqual(["error", "aborted"]);
  expect(story).toEqual(["made", "disposed", "made", "disposed"]);
});

test("a dispose that never returns holds up the response only so long", async () => {
  const clock = manualClock();
  const Db = dependency("db", () => "db", { dispose: () => new Promise<void>(() => {}) });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: async (_, context) => context.get(Db),
  });
  const model = scriptedProvider([callTool("look"), say("Done")]);
  const turn = createAgent({ model, tools: [look] }).runTurn({ input: "Hello" }, [], { clock });

  const { text } = await clock.runUntil(turn.response);

  expect(text).toBe("Done");
  expect(clock.now()).toBeLessThanOrEqual(30_000);
});

test("turns at once know nothing of each other", async () => {
  const model = scriptedProvider(
    Array(40).fill(({ turnId, messages }: { turnId: string; messages: readonly object[] }) =>
      messages.length === 1 ? callTool("echo", { turnId }) : say(`${turnId} is done`),
    ),
  );
  const agent = createAgent({ model, tools: [echoTool()] });
  const ids = Array.from({ length: 20 }, (_, n) => `t${n}`);

  const responses = await Promise.all(
    ids.map((id) => agent.runTurn({ id, input: "Hello" }).response),
  );

  expect(responses.map(({ text }) => text)).toEqual(ids.map((id) => `${id} is done`));
  expect(responses.map(({ messages }) => messages[1])).toMatchObject(
    ids.map((turnId) => ({ role: "tool", content: JSON.stringify({ turnId }) })),
  );
});
