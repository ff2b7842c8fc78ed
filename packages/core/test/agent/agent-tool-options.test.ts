/** An agent as a tool: what its caller's model is told of it, and calls of it side by side and within each other. */
import { agentTool, createAgent, createSession } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import { callTool, echoTool, reply, say, scriptedProvider, usage } from "@capstan/testing";
import { expect, test } from "vitest";

const tokens = usage({ inputTokens: 1, outputTokens: 1 });

function firstText({ messages }: ProviderRequest): string {
  const [first] = messages;
  return first?.role === "user" && typeof first.content === "string" ? first.content : "";
}

test("it is called as its agent is, or as one likes, and takes a task and nothing else", async () => {
  const helper = createAgent({ name: "researcher", model: scriptedProvider([]) });

  const plain = agentTool(helper, { description: "Finds things" });
  const named = agentTool(helper, {
    name: "find",
    description: "Finds things",
    label: "Find",
    timeoutMs: 5_000,
  });

  expect(plain).toMatchObject({ name: "researcher", description: "Finds things" });
  expect(named).toMatchObject({ name: "find", label: "Find", timeoutMs: 5_000 });
  expect(plain.inputSchema).toMatchObject({ required: ["task"], additionalProperties: false });
});

test("a call without a task is an error result, and its agent is not asked", async () => {
  const inner = scriptedProvider([]);
  const helper = createAgent({ name: "researcher", model: inner });
  const model = scriptedProvider([callTool("researcher", { job: "Find it" }), say("Sorry")]);
  const tools = [agentTool(helper, { description: "Finds things" })];
  const session = createSession({ agent: createAgent({ model, tools }) });

  await session.send("Hello").response;

  expect(session.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringContaining("task"),
  });
  expect(inner.requests).toEqual([]);
});

test("calls at once are turns of their own, and each begins with nothing but its task", async () => {
  const inner = scriptedProvider(
    Array(3).fill((request: ProviderRequest) => reply(say(`Found ${firstText(request)}`), tokens)),
  );
  const helper = createAgent({ name: "researcher", model: inner });
  const tasks = ["trains", "ships", "planes"];
  const model = scriptedProvider([
    reply(...tasks.map((task) => callTool("researcher", { task })), tokens),
    reply(say("Done"), tokens),
  ]);
  const tools = [agentTool(helper, { description: "Finds things" })];
  const session = createSession({ agent: createAgent({ model, tools }) });

  await session.send("Hello").response;

  expect(session.messages.slice(2, 5)).toMatchObject(
    tasks.map((task) => ({ role: "tool", content: `Found ${task}`, isError: false })),
  );
  expect(inner.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  expect(session.usage).toEqual({ inputTokens: 5, outputTokens: 5 });
});

test("agents within agents count for whoever is outermost", async () => {
  const deepest = createAgent({
    name: "reader",
    model: scriptedProvider([reply(callTool("echo"), tokens), reply(say("Read"), tokens)]),
    tools: [echoTool()],
  });
  const middle = createAgent({
    name: "researcher",
    model: scriptedProvider([
      reply(callTool("reader", { task: "Read it" }), tokens),
      reply(say("Found"), tokens),
    ]),
    tools: [agentTool(deepest, { description: "Reads things" })],
  });
  const model = scriptedProvider([
    reply(callTool("researcher", { task: "Find it" }), tokens),
    reply(say("Done"), tokens),
  ]);
  const tools = [agentTool(middle, { description: "Finds things" })];
  const session = createSession({ agent: createAgent({ model, tools }) });

  const { text } = await session.send("Hello").response;

  expect(text).toBe("Done");
  expect(session.messages[2]).toMatchObject({ content: "Found" });
  expect(session.usage).toEqual({ inputTokens: 6, outputTokens: 6 });
});
