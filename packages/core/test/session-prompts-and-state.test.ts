/** Prompts, state, keys, thinking, and custom messages of a session. */
import { createAgent, createSession } from "@capstan/core";
import type { TurnInput } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import {
  assertValidTranscript,
  callTool,
  echoTool,
  failBefore,
  say,
  scriptedProvider,
  stall,
  tinyImage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const image = tinyImage;

test.each<[what: string, input: TurnInput, messages: readonly object[]]>([
  ["a string", "Hello", [{ role: "user", id: "t1", content: "Hello" }]],
  [
    "parts",
    [{ type: "text", text: "Look" }, image],
    [{ role: "user", id: "t1", content: [{ type: "text", text: "Look" }, image] }],
  ],
  ["a message", { role: "user", content: "Hello" }, [{ role: "user", id: "t1", content: "Hello" }]],
  [
    "a message with an id of its own",
    { role: "user", id: "m1", content: [image] },
    [{ role: "user", id: "m1", content: [image] }],
  ],
  [
    "a list",
    [
      { role: "custom", kind: "note", data: { at: "noon" } },
      { role: "user", content: "Hello" },
    ],
    [
      { role: "custom", id: "t1", kind: "note", data: { at: "noon" } },
      { role: "user", id: "t1-2", content: "Hello" },
    ],
  ],
])("prompt accepts %s", async (_, input, messages) => {
  const world = createWorld([say("Hi")]);
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send(input, { id: "t1" }).response;

  expect(response).toMatchObject({ status: "completed", text: "Hi" });
  expect(session.messages.slice(0, -1)).toEqual(messages);
  expect(world.provider.requests[0]?.messages).toEqual(
    messages.filter((message) => !("kind" in message)),
  );
});

test("the response has the new messages only: neither the history nor the prompt", async () => {
  const world = createWorld([say("One"), callTool("echo"), say("Two")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First").response;

  const { messages } = await session.send("Second").response;

  expect(messages).toEqual(session.messages.slice(3));
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
});

test("state while streaming: the status and the partial message; afterwards only the whole one", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say(["Hel", "lo"]), wait(open.promise), say(", you")]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const during = session.state;

  open.resolve();
  await turn.response;

  expect(during).toMatchObject({
    status: "running",
    streamingMessage: { content: [{ type: "text", text: "Hello" }] },
    messages: [{ role: "user" }],
  });
  expect(session.state).toMatchObject({ status: "completed", streamingMessage: undefined });
  expect(session.messages).toHaveLength(2);
});

test("state after a failure: the error is there until the next turn", async () => {
  const world = createWorld([failBefore("overloaded"), say("Better")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const failed = session.state;

  await session.continue().response;

  expect(failed).toMatchObject({ status: "error", error: { code: "overloaded" } });
  expect(session.state).toMatchObject({ status: "completed", error: undefined });
});

test("abort: the stream is cancelled, what was said is kept, and the next prompt is taken", async () => {
  const world = createWorld([[say("Half"), stall()], say("Whole")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);

  turn.abort();
  const stopped = await turn.response;
  await session.waitForIdle();
  const next = await session.send("Again").response;

  expect(stopped).toMatchObject({ status: "aborted", text: "Half" });
  expect(world.provider.requests[0]?.signal.aborted).toBe(true);
  expect(next).toMatchObject({ status: "completed", text: "Whole" });
  assertValidTranscript(session.messages);
});

test("reset: no messages, nothing queued, no error, and the model sees nothing of the past", async () => {
  const world = createWorld([failBefore("auth"), say("Anew")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  const receipt = await session.followUp("Later");
  await turn.response;
  const held = session.queued.length;

  await session.reset();
  const { state } = session;
  await session.send("Good morning").response;

  expect(held).toBe(1);
  await expect(receipt.outcome).resolves.toEqual({ type: "returned", reason: "cleared" });
  expect(state).toMatchObject({
    status: "idle",
    messages: [],
    queues: { steering: [], followUp: [] },
    error: undefined,
  });
  expect(world.provider.requests[1]?.messages).toMatchObject([{ content: "Good morning" }]);
});

test("getApiKey: asked before each request, by the id of the provider; without a key nothing is sent", async () => {
  const provider = scriptedProvider([callTool("echo"), say("One"), say("Two")], { id: "vendor" });
  const keys = ["first", "second", undefined];
  const asked: string[] = [];
  const getApiKey = (providerId: string): string | undefined => {
    asked.push(providerId);
    return keys.shift();
  };
  const session = createSession({
    agent: createAgent({ model: provider, tools: [echoTool()], getApiKey }),
  });

  await session.send("Hello").response;
  await session.send("Again").response;

  expect(asked).toEqual(["vendor", "vendor", "vendor"]);
  expect(provider.requests.map(({ options }) => options.apiKey)).toEqual([
    "first",
    "second",
    undefined,
  ]);
  expect(provider.requests[2]?.options).not.toHaveProperty("apiKey");
});

test("thinking level and budgets reach the provider: of the agent, the session, the turn", async () => {
  const thinkingBudgets = { low: 1_000, high: 8_000 };
  const world = createWorld([say("One"), say("Two"), say("Three"), say("Four")], [], {
    thinkingLevel: "low",
    thinkingBudgets,
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Agent").response;
  await session.configure({ thinkingLevel: "high" });
  await session.send("Session").response;
  await session.send("Turn", { thinkingLevel: "off" }).response;
  await session.send("Session again").response;

  const options = world.provider.requests.map((request) => request.options);
  expect(options.map(({ thinkingLevel }) => thinkingLevel)).toEqual(["low", "high", "off", "high"]);
  expect(options.map((each) => each.thinkingBudgets)).toEqual([
    thinkingBudgets,
    thinkingBudgets,
    thinkingBudgets,
    thinkingBudgets,
  ]);
});

const note = { role: "custom", id: "n1", kind: "note", data: { text: "Berlin" } } as const;

test("custom messages: kept in the transcript, in every host, and dropped before a request", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send([note, { role: "user", content: "Hello" }]).response;

  const elsewhere = await world.host().open(session.id);
  await elsewhere.send("Again").response;

  expect(elsewhere.messages[0]).toEqual(note);
  const roles = world.provider.requests.map(({ messages }) => messages.map(({ role }) => role));
  expect(roles).toEqual([["user"], ["user", "assistant", "user"]]);
});

test("convertToLlm: custom messages become what it makes of them, and stay what they are", async () => {
  const world = createWorld([say("One")], [], {
    convertToLlm: (messages) =>
      messages.map((message): ChatMessage =>
        message.role === "custom"
          ? { role: "user", id: message.id, content: `Note: ${JSON.stringify(message.data)}` }
          : message,
      ),
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send([note, { role: "user", content: "Hello" }]).response;

  expect(world.provider.requests[0]?.messages).toMatchObject([
    { role: "user", id: "n1", content: 'Note: {"text":"Berlin"}' },
    { role: "user", content: "Hello" },
  ]);
  expect(session.messages[0]).toEqual(note);
});

test("transformContext before convertToLlm: the one gives the other its messages, with each request", async () => {
  const seen: string[] = [];
  const world = createWorld([callTool("echo"), say("Done")], [echoTool()], {
    transformContext: (messages, signal) => {
      seen.push(`transform ${messages.length} ${signal.aborted}`);
      return messages.slice(-2);
    },
    convertToLlm: (messages) => {
      seen.push(`convert ${messages.length}`);
      return messages;
    },
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;

  expect(seen).toEqual(["transform 1 false", "convert 1", "transform 3 false", "convert 2"]);
  expect(world.provider.requests[1]?.messages.map(({ role }) => role)).toEqual([
    "assistant",
    "tool",
  ]);
  expect(session.messages).toHaveLength(4);
});
