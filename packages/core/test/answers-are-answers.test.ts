import type { AgentInit } from "@capstan/core";
import { createAgent, createSession, defineTool, doneTool } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import { callTool, finish, refuse, reply, say, scriptedProvider, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: z.object({}),
  execute: () => "echoed",
});

function agentOf(script: readonly ScriptItem[], init: Partial<AgentInit> = {}) {
  return createAgent({ model: scriptedProvider(script), tools: [echo], ...init });
}

const unanswered: readonly [string, readonly ScriptItem[], Partial<AgentInit>, RegExp][] = [
  [
    "a model that refused",
    [reply(refuse("I will not."), finish("content-filter"))],
    {},
    /the model refused: I will not\./,
  ],
  ["a content filter", [finish("content-filter")], {}, /content filter/],
  [
    "a content filter in the middle of a reply",
    [reply(say("Once upon"), finish("content-filter"))],
    {},
    /content filter/,
  ],
  [
    "a budget that is used up",
    [reply(callTool("echo"), usage({ inputTokens: 9, outputTokens: 1 }))],
    { budgets: { tokens: 5 } },
    /budget/,
  ],
  [
    "a limit of steps without a closing step",
    [callTool("echo")],
    { maxSteps: 1, closing: false },
    /limit of steps/,
  ],
  ["an empty reply", [finish("stop")], {}, /the reply is empty/],
];

test.each(unanswered)(
  "run of an agent throws after %s, with the reason",
  async (_, script, init, why) => {
    const agent = agentOf(script, init);

    await expect(agent.run("Hello")).rejects.toMatchObject({
      code: "no_answer",
      message: expect.stringMatching(why),
    });
  },
);

test.each(unanswered)(
  "run of a session throws after %s, with the reason",
  async (_, script, init, why) => {
    const session = createSession({ agent: agentOf(script, init) });

    await expect(session.run("Hello")).rejects.toMatchObject({
      code: "no_answer",
      message: expect.stringMatching(why),
    });
  },
);

test.each(unanswered)("a response after %s says that it has no answer", async (_, script, init) => {
  const session = createSession({ agent: agentOf(script, init) });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "completed", hasAnswer: false });
});

test("a reply, a closing report and a reply that was cut off are answers", async () => {
  const plain = await agentOf([say("Hi")]).runTurn({ input: "x" }).response;
  const closed = await agentOf([callTool("echo"), say("So far")], { maxSteps: 1 }).runTurn({
    input: "x",
  }).response;
  const cut = await agentOf([reply(say("Once upon"), finish("length"))]).runTurn({ input: "x" })
    .response;

  expect([plain, closed, cut]).toMatchObject([
    { hasAnswer: true, text: "Hi", finishReason: "stop" },
    { hasAnswer: true, text: "So far", finishReason: "max-steps" },
    { hasAnswer: true, text: "Once upon", finishReason: "length" },
  ]);
});

test("a response has the provider's metadata of the reply", async () => {
  const model = scriptedProvider([
    reply(say("Hi"), finish("stop", { metadata: { requestId: "r1" } })),
  ]);

  const { metadata } = await createAgent({ model }).runTurn({ input: "x" }).response;

  expect(metadata).toEqual({ requestId: "r1" });
});

const announced = reply(say("I am done."), callTool("done", { message: "All set" }));

test("the answer of the done tool is its message, also if the model says something beside the call", async () => {
  const agent = agentOf([announced], { tools: [doneTool()] });

  await expect(agent.run("Hello")).resolves.toBe("All set");
});

test("the answer of the done tool is its message after an approval", async () => {
  const done = { ...doneTool(), needsApproval: true };
  const session = createSession({ agent: agentOf([announced], { tools: [done] }) });
  const { pendingToolCalls = [] } = await session.send("Hello").response;

  const answers = pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: true,
  }));
  const response = await session.send(answers).response;

  expect(response).toMatchObject({ status: "completed", hasAnswer: true, text: "All set" });
});

test("a remote tool that ends the turn gives its answer", async () => {
  const submit = defineTool({
    name: "submit",
    description: "Submits the form",
    input: z.object({}),
    terminate: true,
  });
  const script = [reply(say("Here you are."), callTool("submit"))];
  const session = createSession({ agent: agentOf(script, { tools: [submit] }) });
  const { pendingToolCalls = [] } = await session.send("Hello").response;

  const answers = pendingToolCalls.map(({ toolCallId }) => ({ toolCallId, output: "submitted" }));
  const response = await session.send(answers).response;

  expect(response).toMatchObject({ status: "completed", hasAnswer: true, text: "submitted" });
});

test("a denied call of a tool that ends turns does not end the turn", async () => {
  const done = { ...doneTool(), needsApproval: true };
  const session = createSession({
    agent: agentOf([announced, say("What then?")], { tools: [done] }),
  });
  const { pendingToolCalls = [] } = await session.send("Hello").response;

  const answers = pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: false,
  }));
  const response = await session.send(answers).response;

  expect(response).toMatchObject({ hasAnswer: true, text: "What then?" });
});
