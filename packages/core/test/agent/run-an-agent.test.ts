import { createAgent, dependency, override, defineTool } from "@capstan/core";
import {
  callTool,
  echoTool,
  failBefore,
  remoteTool,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";

test("run gives the answer", async () => {
  const agent = createAgent({
    model: scriptedProvider([callTool("echo", { n: 1 }), say("Done")]),
    tools: [echoTool()],
  });

  await expect(agent.run("Hello")).resolves.toBe("Done");
});

test("run throws a typed error that says why there is no answer", async () => {
  const agent = createAgent({ name: "helper", model: scriptedProvider([failBefore("auth")]) });

  await expect(agent.run("Hello")).rejects.toMatchObject({
    name: "AgentError",
    code: "no_answer",
    turnError: { code: "auth" },
  });
});

test("run throws where the turn waits for somebody", async () => {
  const agent = createAgent({
    model: scriptedProvider([callTool("remote")]),
    tools: [remoteTool()],
  });

  await expect(agent.run("Hello")).rejects.toThrow("awaiting_tool_execution");
});

test("runStream gives the events", async () => {
  const agent = createAgent({ model: scriptedProvider([say("Done")]) });

  const events = await Array.fromAsync(agent.runStream("Hello"));

  expect(events.map((event) => event.type)).toContain("text_delta");
});

test("runTurn goes on behind a transcript, and leaves it as it is", async () => {
  const model = scriptedProvider([say("Two")]);
  const transcript = [
    { role: "user", id: "1", content: "One" },
    { role: "assistant", id: "2", content: [{ type: "text", text: "Yes" }], stopReason: "stop" },
  ] as const;

  const response = await createAgent({ model }).runTurn({ input: "Go on" }, transcript).response;

  expect(response.messages).toHaveLength(1);
  expect(transcript).toHaveLength(2);
  expect(model.requests[0]?.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "user",
  ]);
});

test("with gives another agent, and leaves the first as it is", async () => {
  const model = scriptedProvider([say("One"), say("Two")]);
  const agent = createAgent({ model, instructions: "Be brief." });
  const other = agent.with({ instructions: "Be long." });

  await agent.run("Hello");
  await other.run("Hello");

  expect(model.requests.map((request) => request.options.systemPrompt)).toEqual([
    "Be brief.",
    "Be long.",
  ]);
});

test("what is set on the agent reaches the provider, and one turn may differ", async () => {
  const model = scriptedProvider([say("One"), say("Two")]);
  const agent = createAgent({
    model: { provider: model, id: "big" },
    temperature: 0.5,
    maxTokens: 100,
    thinkingLevel: "low",
    thinkingBudgets: { low: 1_000 },
    toolChoice: "auto",
    headers: { a: "1" },
  });

  await agent.run("Hello");
  await agent.runTurn({ input: "Hello", thinkingLevel: "high" }).response;

  expect(model.requests[0]?.options).toMatchObject({
    model: "big",
    temperature: 0.5,
    maxTokens: 100,
    thinkingLevel: "low",
    thinkingBudgets: { low: 1_000 },
    toolChoice: "auto",
    headers: { a: "1" },
  });
  expect(model.requests[1]?.options).toMatchObject({
    thinkingLevel: "high",
    headers: { a: "1" },
  });
});

test("instructions may be a function of the session and the tools", async () => {
  const model = scriptedProvider([say("Done")]);
  const agent = createAgent({
    name: "helper",
    model,
    tools: [echoTool()],
    instructions: ({ agent: name, tools }) =>
      `${name} has ${tools.map((tool) => tool.name).join()}`,
  });

  await agent.run("Hello");

  expect(model.requests[0]?.options.systemPrompt).toBe("helper has echo");
});

test("a key is asked for before each request", async () => {
  const model = scriptedProvider([callTool("echo"), say("Done")], { id: "vendor" });
  const keys = ["first", "second"];
  const asked: string[] = [];
  const getApiKey = async (providerId: string): Promise<string | undefined> => {
    asked.push(providerId);
    return keys.shift();
  };

  await createAgent({ model, tools: [echoTool()], getApiKey }).run("Hello");

  expect(asked).toEqual(["vendor", "vendor"]);
  expect(model.requests.map((request) => request.options.apiKey)).toEqual(["first", "second"]);
});

test("a model given by name is looked up; without a way to do so the error says what to pass", async () => {
  const model = scriptedProvider([say("Done")]);
  const named = createAgent({ model: "fast", resolveModel: (id) => ({ provider: model, id }) });

  await expect(named.run("Hello")).resolves.toBe("Done");
  await expect(createAgent({ model: "fast" }).run("Hello")).rejects.toThrow("resolveModel");
  expect(model.requests[0]?.options.model).toBe("fast");
});

test("a typed answer is checked, and a wrong one sent back once", async () => {
  const model = scriptedProvider([say("Blue"), say('```json\n{"colour":"blue"}\n```')]);
  const agent = createAgent({ model, output: z.object({ colour: z.enum(["red", "blue"]) }) });

  const response = await agent.runTurn({ input: "Which?" }).response;

  expect(response).toMatchObject({ status: "completed", output: { colour: "blue" } });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("additionalProperties");
});

test("an answer that is wrong twice is an error", async () => {
  const model = scriptedProvider([say('{"colour":1}'), say('{"colour":2}')]);
  const agent = createAgent({ model, output: z.object({ colour: z.string() }) });

  const response = await agent.runTurn({ input: "Which?" }).response;

  expect(response).toMatchObject({ status: "error", error: { code: "invalid_output" } });
  expect(response.error?.message).toContain("colour");
});

test("cost is undefined unless it is asked for, and then counts all attempts at the model's price", async () => {
  const tokens = usage({ inputTokens: 1_000_000, outputTokens: 500_000, cacheReadTokens: 600_000 });
  const price = { inputPerMillion: 2, outputPerMillion: 10, cacheReadPerMillion: 0.5 };
  const provider = scriptedProvider([
    [say("One"), tokens],
    [say("Two"), tokens],
  ]);
  const agent = createAgent({ model: { provider, id: "big", price } });

  const without = await agent.runTurn({ input: "Hello" }).response;
  const withCost = await agent.with({ includeCost: true }).runTurn({ input: "Hello" }).response;

  expect(without.cost).toBeUndefined();
  expect(withCost.cost).toBeCloseTo(0.4 * 2 + 0.6 * 0.5 + 0.5 * 10);
});

test("unknown usage has unknown cost, not zero", async () => {
  const provider = scriptedProvider([say("One")]);
  const price = { inputPerMillion: 2, outputPerMillion: 10 };
  const agent = createAgent({ model: { provider, id: "big", price }, includeCost: true });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response.cost).toBeUndefined();
});

test.each([
  ["steps", { steps: 1 }],
  ["tokens", { tokens: 100 }],
  ["cost", { cost: 0.000_1 }],
])("a spent budget of %s ends the turn before the next request", async (_, budgets) => {
  const tokens = usage({ inputTokens: 100, outputTokens: 10 });
  const provider = scriptedProvider([[callTool("echo"), tokens], say("Not asked for")]);
  const price = { inputPerMillion: 2, outputPerMillion: 10 };
  const agent = createAgent({
    model: { provider, id: "big", price },
    tools: [echoTool()],
    budgets,
  });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response.finishReason).toBe("budget-exceeded");
  expect(provider.requests).toHaveLength(1);
});

test("at the limit of steps the model is asked for a report", async () => {
  const provider = scriptedProvider([callTool("echo"), say("This was done")]);
  const agent = createAgent({ model: provider, tools: [echoTool()], maxSteps: 1 });

  const response = await agent.runTurn({ input: "Hello" }).response;

  expect(response).toMatchObject({ finishReason: "max-steps", text: "This was done" });
});

test("tools get their dependencies, once per turn, and a test may replace them", async () => {
  let made = 0;
  const disposed: string[] = [];
  const Db = dependency("db", () => `db ${++made}`, { dispose: (db) => void disposed.push(db) });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: z.object({}),
    execute: async (_, context) => context.get(Db),
  });
  const script = [callTool("look", {}), callTool("look", {}), say("Done")];
  const agent = createAgent({ model: scriptedProvider(script), tools: [look] });
  const replaced = agent.with({
    model: scriptedProvider(script),
    dependencies: [override(Db, () => "fake")],
  });

  const real = await agent.runTurn({ input: "Hello" }).response;
  const fake = await replaced.runTurn({ input: "Hello" }).response;

  expect(real.messages.filter((message) => message.role === "tool")).toMatchObject([
    { content: "db 1" },
    { content: "db 1" },
  ]);
  expect(fake.messages[1]).toMatchObject({ content: "fake" });
  expect(disposed).toEqual(["db 1"]);
});
