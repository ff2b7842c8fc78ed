import { createAgent, createSession, forkSession, restoreSession } from "@capstan/core";
import type { SessionSnapshot } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const past: readonly ChatMessage[] = [
  { role: "user", id: "u1", content: "Hello" },
  {
    role: "assistant",
    id: "a1",
    content: [{ type: "tool_call", id: "c1", name: "echo", input: {} }],
    stopReason: "tool-calls",
  },
  { role: "tool", id: "c1", toolCallId: "c1", toolName: "echo", content: "{}", isError: false },
];

test("continue replies to what has no reply, as after a failure", async () => {
  const world = createWorld([failBefore("overloaded"), say("Better now")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const { text } = await session.continue().response;

  expect(text).toBe("Better now");
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test.each([
  ["there are no messages", []],
  ["the last message is the assistant's", [say("Done")]],
])("continue is refused where %s", async (_, script) => {
  const world = createWorld(script);
  const session = world.host().createSession({ agent: "helper" });
  if (script.length > 0) await session.send("Hello").response;

  const { status, error } = await session.continue().response;

  expect(status).toBe("error");
  expect(error).toMatchObject({ code: "cannot_continue" });
});

test("continue takes up what was held when the turn was aborted", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  // As if the turn for which it was queued had been aborted.
  const turn = session.send("Again");
  turn.abort();
  const receipt = await session.followUp("And this");
  await turn.response;
  await session.waitForIdle();

  const { text } = await session.continue().response;

  expect(session.messages.at(-2)).toMatchObject({ role: "user" });
  await expect(receipt.outcome).resolves.toMatchObject({ type: "delivered" });
  expect(text).not.toBe("");
});

test("a loaded history is what the model sees, and what it has cost is its own", async () => {
  const world = createWorld(
    [[say("Go on"), usage({ inputTokens: 5, outputTokens: 1 })]],
    [echoTool()],
  );
  const session = world.host().createSession({ agent: "helper" });

  await session.loadHistory(past);
  await session.send("More").response;

  expect(world.provider.requests[0]?.messages.map(({ id }) => id).slice(0, 3)).toEqual([
    "u1",
    "a1",
    "c1",
  ]);
  expect(session.usage).toMatchObject({ inputTokens: 5 });
  assertValidTranscript(session.messages);
});

test("a session may begin with a history, which is there before it is stored", async () => {
  const world = createWorld([say("Go on")]);
  const session = world.host().createSession({ agent: "helper", history: past, title: "Trains" });

  expect(session.messages).toEqual(past);
  expect(session.title).toBe("Trains");
  expect(world.repository.list().sessions).toEqual([]);

  await session.send("More").response;
  expect(session.messages).toHaveLength(5);
});

test.each<[what: string, messages: readonly ChatMessage[], problem: string]>([
  ["a call without a result", past.slice(0, 2), 'index 1 calls "c1"'],
  ["a result without a call", past.slice(2), "which no earlier message calls"],
  ["an id that is there twice", [...past, ...past.slice(0, 1)], 'repeats the id "u1"'],
  ["a message before a result", [...past.slice(0, 2), ...past.slice(0, 1)], 'repeats the id "u1"'],
  ["a system message", [{ role: "system", id: "s", content: "Be brief." }], "instructions"],
])("%s is no history", async (_, messages, problem) => {
  const session = createWorld([]).host().createSession({ agent: "helper" });

  await expect(session.loadHistory(messages)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(problem),
  });
});

test("a history is not replaced while calls wait for answers", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await expect(session.clearHistory()).rejects.toMatchObject({ code: "calls_pending" });
  await expect(session.loadHistory(past)).rejects.toMatchObject({ code: "calls_pending" });
  expect(session.pendingToolCalls).toHaveLength(1);
});

test("reset leaves nothing but what was configured and counted", async () => {
  const slow = deferredTool({ name: "slow" });
  const world = createWorld([callTool("slow"), failBefore("auth")], [slow]);
  const session = world.host().createSession({ agent: "helper" });
  await session.configure({ thinkingLevel: "low" });
  const turn = session.send("Hello");
  await slow.whenStarted();
  const receipt = await session.followUp("Later", { id: "f1" });
  slow.resolve(slow.started[0]?.toolCallId ?? "", "done");
  // Messages that were queued for a turn that failed are held.
  await turn.response;

  await session.reset();

  expect(session.state).toMatchObject({
    status: "idle",
    messages: [],
    error: undefined,
    thinkingLevel: "low",
    queues: { steering: [], followUp: [] },
  });
  await expect(receipt.outcome).resolves.toMatchObject({ type: expect.any(String) });
});

test("reset is refused while calls wait for answers, whether something is queued or not", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await expect(session.reset()).rejects.toMatchObject({ code: "calls_pending" });
  await session.followUp("Later", { id: "f1" });
  await expect(session.reset()).rejects.toMatchObject({ code: "calls_pending" });
  expect(session.queued).toMatchObject([{ id: "f1", isReturning: false }]);
});

test("a snapshot of a session that waits goes on elsewhere", async () => {
  const script = [callTool("remote"), [say("Done"), usage({ inputTokens: 3, outputTokens: 2 })]];
  const world = createWorld(script, [remoteTool()]);
  const session = world.host().createSession({ agent: "helper", metadata: { a: 1 } });
  const { pendingToolCalls } = await session.send("Hello").response;
  const state: SessionSnapshot = JSON.parse(JSON.stringify(await session.snapshot()));

  const agent = createAgent({
    name: "helper",
    model: scriptedProvider(script.slice(1)),
    tools: [remoteTool()],
  });
  const restored = await restoreSession({ agent, snapshot: state, trust: "own" });
  const toolCallId = pendingToolCalls?.[0]?.toolCallId ?? "";
  const { text } = await restored.send([{ toolCallId, output: "yes" }]).response;

  expect(state).toMatchObject({
    version: 1,
    id: session.id,
    agent: "helper",
    status: "awaiting_tool_execution",
    provider: "scripted",
    metadata: { a: 1 },
  });
  expect(text).toBe("Done");
  expect(restored.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

test("a state of an agent that is not there is refused, and so is one that cannot be read", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const state = await session.snapshot();
  const other = createAgent({ name: "other", model: scriptedProvider([]) });

  await expect(
    restoreSession({ agent: other, snapshot: state, trust: "own" }),
  ).rejects.toMatchObject({
    code: "unknown_agent",
  });
  const entries = state.entries.map((entry) => ({ ...entry, turnId: undefined }));
  await expect(
    restoreSession({ agent: world.agent, snapshot: { ...state, entries } }),
  ).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining("turnId") });
  await expect(world.host().restore(state)).rejects.toMatchObject({ code: "exists" });
});

test("a fork has the same past and a future of its own; what it copied is not counted again", async () => {
  const world = createWorld([
    [say("One"), usage({ inputTokens: 3, outputTokens: 1 })],
    say("Here"),
    say("There"),
  ]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const fork = await forkSession(session);
  await session.send("Stay").response;
  await fork.send("Go").response;

  expect(fork.id).not.toBe(session.id);
  expect(fork.messages.slice(0, 2)).toEqual(session.messages.slice(0, 2));
  expect(fork.messages.at(-1)).toMatchObject({ content: [{ text: "There" }] });
  expect(fork.usage.inputTokens).toBeUndefined();
});

test("a fork at a message keeps its step whole, and goes on from there", async () => {
  const script = [
    callTool("echo", { n: 1 }),
    callTool("echo", { n: 2 }),
    say("Done"),
    say("Other"),
  ];
  const world = createWorld(script, [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const [, first] = session.messages;

  const fork = await forkSession(session, first?.id);
  const { text } = await fork.continue().response;

  expect(text).toBe("Other");
  expect(fork.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  assertValidTranscript(fork.messages);
});

test("a fork leaves behind what waits: calls, queued messages, inputs", async () => {
  const world = createWorld([say("One"), callTool("remote"), say("Forked")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.send("Ask").response;
  await session.followUp("Later");

  const fork = await forkSession(session);

  expect(fork.status).toBe("completed");
  expect(fork.queued).toEqual([]);
  expect(fork.pendingToolCalls).toEqual([]);
  expect(fork.messages.at(-1)).toMatchObject({ role: "user", content: "Ask" });
  expect(session.pendingToolCalls).toHaveLength(1);
  await expect(fork.continue().response).resolves.toMatchObject({ text: "Forked" });
});

test("a fork at a message that is not there is refused", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  await expect(forkSession(session)).rejects.toMatchObject({ code: "invalid_input" });
  await session.send("Hello").response;

  await expect(forkSession(session, "nope")).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining('no message "nope"'),
  });
});

test("a fork in the middle of a step says that the step is not complete", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  await expect(forkSession(session, session.messages.at(-1)?.id)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("its step is not complete"),
  });
});

test("a signal aborts its turn, also one that has fired before", async () => {
  const session = createSession({ agent: createAgent({ model: scriptedProvider([say("Done")]) }) });

  const { status } = await session.send("Hello", { signal: AbortSignal.abort("no") }).response;

  expect(status).toBe("aborted");
});

test("a list of messages that was read does not grow with the session", async () => {
  const world = createWorld([say("Two"), say("Three")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.loadHistory([{ role: "user", id: "u1", content: "Hello" }]);
  const { messages } = session;
  const { messages: shown } = session.state;

  await session.send("Two").response;
  await session.send("Three").response;

  expect(messages).toHaveLength(1);
  expect(shown).toHaveLength(1);
});

test("a fork at a reply that was interrupted has the word of it as well", async () => {
  const world = createWorld([reply(say("Half"), stall())]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  for await (const event of turn) if (event.type === "text_delta") turn.abort();
  const aborted = session.messages.find((message) => message.role === "assistant");

  const fork = await forkSession(session, aborted?.id);

  expect(fork.messages.at(-1)).toMatchObject({ role: "user", source: "interruption" });
  assertValidTranscript(fork.messages);
});

test("continue with what was held is a turn of its own id, also when it is asked for again", async () => {
  const world = createWorld([say("One"), stall(), say("Held")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const turn = session.send("Again");
  await world.clock.advance(0);
  await session.followUp("Later");
  turn.abort();
  await turn.response;
  await session.waitForIdle();
  await session.clearHistory();

  const first = await session.continue({ id: "c1", maxTokens: 7 }).response;
  const again = await session.continue({ id: "c1", maxTokens: 7 }).response;

  expect(first).toMatchObject({ status: "completed", text: "Held" });
  expect(again).toEqual(first);
  expect(world.provider.requests.at(-1)?.options.maxTokens).toBe(7);
});
