import { createAgent, createHost, createSession, defineTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { NewEntry } from "@capstan/log";
import { callTool, echoTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("one turn may differ, and the next is as before", async () => {
  const provider = scriptedProvider([say("One"), say("Two")]);
  const session = createSession({ agent: createAgent({ model: provider, maxTokens: 10 }) });

  await session.send("Hello", { maxTokens: 99, thinkingLevel: "high" }).response;
  await session.send("Again").response;

  expect(provider.requests.map(({ options }) => options.maxTokens)).toEqual([99, 10]);
  expect(provider.requests.map(({ options }) => options.thinkingLevel)).toEqual([
    "high",
    undefined,
  ]);
});

test("a request says it all in one object", async () => {
  const provider = scriptedProvider([say("One")]);
  const session = createSession({ agent: createAgent({ model: provider }) });

  const turn = session.turn({ id: "t1", input: "Hello", maxTokens: 5, metadata: { from: "test" } });
  await turn.response;

  expect(turn.id).toBe("t1");
  expect(provider.requests[0]?.options.maxTokens).toBe(5);
  expect(session.messages[0]).toMatchObject({ id: "t1", metadata: { from: "test" } });
});

test("what a turn was sent with holds for the turn that continues it, in another process too", async () => {
  const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls } = await session.send("Hello", { temperature: 0.25 }).response;
  await session.close();

  const other = await world.host().open(session.id);
  const toolCallId = pendingToolCalls?.[0]?.toolCallId ?? "";
  await other.send([{ toolCallId, output: "yes" }]).response;

  expect(world.provider.requests.map(({ options }) => options.temperature)).toEqual([0.25, 0.25]);
});

test("a model of one turn is found by its name where another process goes on", async () => {
  const repository = memoryRepository();
  const small = scriptedProvider([]);
  const big = scriptedProvider([callTool("remote"), say("Big")]);
  const model = { provider: big, id: "big" };
  const agent = createAgent({ model: small, models: [model], tools: [remoteTool()] });
  const session = createSession({ agent, repository });
  const { pendingToolCalls } = await session.send("Hello", { model }).response;
  await session.close();

  const other = await createHost({ agents: [agent], repository }).open(session.id);
  const toolCallId = pendingToolCalls?.[0]?.toolCallId ?? "";
  const response = await other.send([{ toolCallId, output: "yes" }]).response;

  expect(response.text).toBe("Big");
});

test("a model that no process knows any more fails the turn, and says what to do", async () => {
  const repository = memoryRepository();
  const agent = createAgent({ model: scriptedProvider([]), retry: { maxAttempts: 1 } });
  const session = createSession({ agent, repository });
  await session.configure({ model: { provider: scriptedProvider([]), id: "gone" } });
  await session.close();

  const other = await createHost({ agents: [agent], repository }).open(session.id);
  const { error } = await other.send("Hello").response;

  expect(error).toMatchObject({
    code: "unknown_model",
    message: expect.stringContaining("add it to models"),
  });
});

test("configure holds from the next turn on, and is in the state", async () => {
  const provider = scriptedProvider([say("One"), say("Two")]);
  const agent = createAgent({ model: provider, tools: [echoTool()], instructions: "Be brief." });
  const session = createSession({ agent });
  await session.send("Hello").response;

  await session.configure({ thinkingLevel: "low", tools: [], instructions: "Be long." });
  await session.send("Again").response;

  expect(session.state).toMatchObject({ thinkingLevel: "low", tools: [] });
  expect(provider.requests.map(({ options, tools }) => [options.systemPrompt, tools])).toEqual([
    ["Be brief.", ["echo", "read_output"]],
    ["Be long.", []],
  ]);
});

test("a lent tool is remote, its input is checked, and any process knows it", async () => {
  const world = createWorld([
    callTool("pick", { n: "x" }),
    callTool("pick", { n: 1 }),
    say("Picked"),
  ]);
  const pick = defineTool({
    name: "pick",
    description: "Lets the user pick",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  });
  const session = world.host().createSession({ agent: "helper", config: { tools: [pick] } });
  const { pendingToolCalls } = await session.send("Hello").response;
  await session.close();

  const other = await world.host().open(session.id);
  const toolCallId = pendingToolCalls?.[0]?.toolCallId ?? "";
  const response = await other.send([{ toolCallId, output: "yes" }]).response;

  expect(pendingToolCalls).toMatchObject([{ toolName: "pick", input: { n: 1 } }]);
  expect(other.messages[2]).toMatchObject({ role: "tool", isError: true });
  expect(response.text).toBe("Picked");
});

test("a tool with code runs in the process that has it, and is unknown in another one", async () => {
  const script = [callTool("other", { n: 1 }), say("One"), callTool("other", { n: 2 }), say("Two")];
  const world = createWorld(script, [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const other = echoTool({ name: "other" });

  await session.configure({ tools: ["echo", other] });
  const here = await session.send("Hello").response;
  const state = session.state.tools;
  await session.close();
  const elsewhere = await (await world.host().open(session.id)).send("Again").response;

  expect(state).toEqual(["echo", "other"]);
  expect(other.started.map(({ input }) => input)).toEqual([{ n: 1 }]);
  expect(here).toMatchObject({ status: "completed", text: "One" });
  expect(elsewhere.messages[1]).toMatchObject({
    isError: true,
    content: expect.stringContaining('Unknown tool "other"'),
  });
});

test.each([
  ["a name that the agent does not have", ["nope"], 'no tool "nope". Its tools: echo'],
  ["another tool of the same name", [echoTool()], 'already has a different tool "echo"'],
  ["the same tool twice", ["echo", "echo"], 'Duplicate tool "echo"'],
  [
    "a function that decides about approval",
    [{ ...remoteTool(), needsApproval: () => true }],
    "needsApproval",
  ],
])("%s cannot be chosen", async (_, tools, message) => {
  const session = createSession({
    agent: createAgent({ model: scriptedProvider([]), tools: [echoTool()] }),
  });

  await expect(session.configure({ tools })).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(message),
  });
});

test("instructions that are a function are asked once, and what they said is recorded", async () => {
  const world = createWorld([say("One"), say("Two"), say("Three")]);
  let count = 0;
  const agent = world.agent.with({ instructions: () => `Version ${++count}.` });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.send("Again").response;
  await session.close();

  await (await world.host({ agents: [agent] }).open(session.id)).send("Elsewhere").response;

  expect(world.provider.requests.map(({ options }) => options.systemPrompt)).toEqual([
    "Version 1.",
    "Version 1.",
    "Version 1.",
  ]);
  expect(promptsOf(world.entries(session.id))).toMatchObject([{ instructions: "Version 1." }]);
});

test.each(["instructions", "resolveModel"] as const)(
  "%s that could not be had once are asked for again, and nothing is recorded of the failure",
  async (name) => {
    const world = createWorld([say("Done")]);
    let isBroken = true;
    const orFail = <T>(value: T): T => {
      if (isBroken) throw new Error("Not now");
      return value;
    };
    const agent = world.agent.with({
      model: "some",
      resolveModel: () => {
        const model = { provider: world.provider, id: "some" };
        return name === "resolveModel" ? orFail(model) : model;
      },
      instructions: () => (name === "instructions" ? orFail("Be brief.") : "Be brief."),
    });
    const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
    const { error } = await session.send("Hello").response;
    isBroken = false;

    await session.send("Again").response;

    expect(error?.message).toContain("Not now");
    expect(world.provider.requests[0]?.options.systemPrompt).toBe("Be brief.");
    expect(promptsOf(world.entries(session.id))).toHaveLength(1);
  },
);

test("a model that is handed over is the one, though the agent has another of its name", async () => {
  const one = scriptedProvider([say("One")]);
  const two = scriptedProvider([say("Two")]);
  const session = createSession({ agent: createAgent({ model: one }) });

  await expect(session.run("Hello", { model: two })).resolves.toBe("Two");
});

test("a new deployment with other instructions or tools is a recorded change", async () => {
  const world = createWorld([say("One"), say("Two"), say("Three")]);
  const first = world.agent.with({ instructions: "Old." });
  const session = world.host({ agents: [first] }).createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.close();

  const second = world.agent.with({ instructions: "New.", tools: [echoTool()] });
  const again = await world.host({ agents: [second] }).open(session.id);
  await again.send("Hello").response;
  await again.send("Hello").response;

  const prompts = promptsOf(world.entries(session.id));
  expect(prompts).toMatchObject([{ instructions: "Old." }, { instructions: "New." }]);
  expect(prompts[0]?.toolsHash).not.toBe(prompts[1]?.toolsHash);
});

function promptsOf(entries: readonly NewEntry[]) {
  return entries.filter((entry) => entry.type === "prompt");
}
