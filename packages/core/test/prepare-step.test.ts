/** Changes that an agent makes before each step: a resumed turn makes the same. */
import { createAgent, createHost, defineTool } from "@capstan/core";
import type { StepToPrepare } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import {
  callTool,
  echoTool,
  manualClock,
  reply,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const price = (inputPerMillion: number) => ({ inputPerMillion, outputPerMillion: 0 });

test("it learns who is asking, and what the model would be shown", async () => {
  const seen: StepToPrepare<{ tenant: string }>[] = [];
  const agent = createAgent({
    model: scriptedProvider([callTool("echo"), say("Done")]),
    instructions: () => "Be brief",
    tools: [echoTool()],
    appContext: z.object({ tenant: z.string() }),
    prepareStep: (step) => {
      seen.push(step);
    },
  });

  await agent.run("Hello", { app: { tenant: "acme" }, metadata: { from: "test" } });

  expect(seen).toMatchObject([
    { step: 1, model: "scripted", tools: ["echo", "read_output"], app: { tenant: "acme" } },
    {
      step: 2,
      instructions: "Be brief",
      turn: { metadata: { from: "test" } },
      messages: [{}, {}, { role: "tool" }],
    },
  ]);
});

test("it chooses model, tools, tool choice and sampling of one step", async () => {
  const cheap = scriptedProvider([callTool("echo")], { id: "cheap" });
  const model = scriptedProvider([say("Done")]);
  const agent = createAgent({
    model,
    temperature: 1,
    tools: [echoTool(), echoTool({ name: "other" })],
    prepareStep: ({ step }) =>
      step === 1
        ? { model: cheap, activeTools: ["echo"], toolChoice: "required", temperature: 0 }
        : undefined,
  });

  await agent.run("Hello");

  expect(cheap.requests[0]).toMatchObject({
    tools: ["echo"],
    options: { toolChoice: "required", temperature: 0 },
  });
  expect(model.requests[0]).toMatchObject({
    tools: ["echo", "other", "read_output"],
    options: { temperature: 1 },
  });
  expect(model.requests[0]?.options.toolChoice).toBeUndefined();
});

test("a step is paid at the price of its own model", async () => {
  const cheap = {
    provider: scriptedProvider(
      [reply(callTool("echo"), usage({ inputTokens: 1_000_000, outputTokens: 0 }))],
      {
        id: "cheap",
      },
    ),
    id: "small",
    price: price(1),
  };
  const dear = {
    provider: scriptedProvider([
      reply(say("Done"), usage({ inputTokens: 1_000_000, outputTokens: 0 })),
    ]),
    id: "big",
    price: price(10),
  };
  const agent = createAgent({
    model: dear,
    models: [cheap],
    includeCost: true,
    tools: [echoTool()],
    prepareStep: ({ step }) => (step === 1 ? { model: "cheap/small" } : undefined),
  });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response.cost).toBe(11);
});

test("what it appends is part of the history of the session", async () => {
  const model = scriptedProvider([say("One"), say("Two")]);
  const agent = createAgent({
    model,
    prepareStep: ({ turn }) => (turn.id === "t1" ? { append: "It is Monday." } : undefined),
  });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const session = host.createSession({ agent: "agent" });

  await session.run("Hello", { id: "t1" });
  await session.run("And now?", { id: "t2" });

  const texts = model.requests[1]?.messages.map((message) =>
    message.role === "user" ? message.content : message.role,
  );
  expect(texts).toEqual(["Hello", "It is Monday.", "assistant", "And now?"]);
  expect(session.messages).toHaveLength(5);
});

test("a resumed turn takes the recorded choice, and does not ask again", async () => {
  const repository = memoryRepository();
  const clock = manualClock();
  const calls: number[] = [];
  const make = (script: Parameters<typeof scriptedProvider>[0]) => {
    const fast = scriptedProvider(script, { id: "fast" });
    const agent = createAgent({
      model: scriptedProvider([]),
      models: [{ provider: fast, id: "" }],
      tools: [echoTool()],
      prepareStep: ({ step }) => {
        calls.push(step);
        return { model: "fast", temperature: 0.25, activeTools: [], append: "Be brief." };
      },
    });
    return { fast, host: createHost({ agents: [agent], repository, clock, leaseMs: 1_000 }) };
  };
  const first = make([stall()]);
  const turn = first.host.createSession({ agent: "agent", id: "s1" }).send("Hello");
  for await (const event of turn) if (event.type === "attempt_start") break;
  await first.host.close();

  const second = make([say("Done")]);
  const session = await second.host.open("s1");
  await session.waitForIdle();

  expect(calls).toEqual([1]);
  expect(second.fast.requests[0]).toMatchObject({ tools: [], options: { temperature: 0.25 } });
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "user", "assistant"]);
  await second.host.close();
});

test("a call that waits keeps the tools of its step in the turn that continues", async () => {
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    input: { type: "object" },
    needsApproval: true,
    execute: () => "paid",
  });
  const agent = createAgent({
    model: scriptedProvider([callTool("pay"), say("Done")]),
    tools: [pay],
    prepareStep: ({ step }) => (step === 1 ? { activeTools: ["pay"] } : { activeTools: [] }),
  });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const session = host.createSession({ agent: "agent" });
  await session.send("Pay").response;

  const [call] = session.pendingToolCalls;
  const response = await session.approve(call ?? "").response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(session.messages).toContainEqual(expect.objectContaining({ content: "paid" }));
});

test.each([
  [{ activeTools: ["ecoh"] }, /"ecoh".*Its tools: echo, read_output/],
  [{ model: "unheard/of" }, /Unknown model "unheard\/of"/],
])("%o ends the turn with an error that says what is wrong", async (settings, message) => {
  const agent = createAgent({
    model: scriptedProvider([]),
    tools: [echoTool()],
    prepareStep: () => settings,
  });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response).toMatchObject({ status: "error", error: { code: "callback_failed" } });
  expect(response.error?.message).toMatch(message);
});
