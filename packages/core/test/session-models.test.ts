/** Which model a turn of a session runs with, and what its provider is told. */
import { createAgent } from "@capstan/core";
import type { Model } from "@capstan/core";
import { callTool, echoTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import type { ScriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

function modelsAsked(provider: ScriptedProvider): (string | undefined)[] {
  return provider.requests.map(({ options }) => options.model);
}

test("a name that has to be looked up is waited for, once for each turn", async () => {
  const asked: string[] = [];
  const world = createWorld([callTool("echo"), say("One"), say("Two")], [echoTool()]);
  const agent = world.agent.with({
    model: "fast",
    resolveModel: async (id): Promise<Model> => {
      asked.push(id);
      await new Promise((resolve) => setImmediate(resolve));
      return { provider: world.provider, id };
    },
  });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });

  await session.send("First").response;
  await session.send("Second").response;

  expect(asked).toEqual(["fast", "fast"]);
  expect(modelsAsked(world.provider)).toEqual(["fast", "fast", "fast"]);
  expect(session.state.model).toBe("fast");
});

test("a model that is found among those of the agent is not looked up", async () => {
  const world = createWorld([say("One")]);
  const agent = world.agent.with({
    model: "scripted/big",
    models: [{ provider: world.provider, id: "big" }],
    resolveModel: () => {
      throw new Error("nobody should ask");
    },
  });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });

  const { status } = await session.send("First").response;

  expect(status).toBe("completed");
  expect(modelsAsked(world.provider)).toEqual(["big"]);
});

test("a session that switches to a model by its name stays with it, in every host", async () => {
  const world = createWorld([say("One"), say("Two"), say("Three")]);
  const small = { provider: world.provider, id: "small" };
  const big = { provider: world.provider, id: "big" };
  const agents = [world.agent.with({ model: small, models: [big] })];
  const session = world.host({ agents }).createSession({ agent: "helper" });
  await session.send("First").response;

  await session.configure({ model: "scripted/big" });
  await session.send("Second").response;
  const elsewhere = await world.host({ agents }).open(session.id);
  await elsewhere.send("Third").response;

  expect(modelsAsked(world.provider)).toEqual(["small", "big", "big"]);
  expect(elsewhere.state.model).toBe("scripted/big");
});

test("a model that a session is given as it is needs no name while its process lives", async () => {
  const world = createWorld([say("Small")]);
  const other = scriptedProvider([say("Other"), say("Other again")], { id: "other" });
  const session = world.host().createSession({ agent: "helper", config: { model: other } });

  const first = await session.send("First").response;
  const second = await session.send("Second", { model: world.provider }).response;
  const third = await session.send("Third").response;

  expect([first.text, second.text, third.text]).toEqual(["Other", "Small", "Other again"]);
  expect(session.state.model).toBe("other");
});

test("a name that nobody knows fails the turn, and the session goes on with another", async () => {
  const world = createWorld([say("Two")]);
  const session = world.host().createSession({ agent: "helper" });

  const first = await session.send("First", { model: "nobody/knows" }).response;
  const second = await session.send("Second").response;

  expect(first).toMatchObject({ status: "error", error: { code: "unknown_model" } });
  expect(second).toMatchObject({ status: "completed", text: "Two" });
});

test("what the agent says to a provider goes with every request, and a turn may say otherwise", async () => {
  const headers = { "x-team": "trains" };
  const world = createWorld([callTool("remote"), say("One"), say("Two")], [remoteTool()], {
    headers,
    temperature: 0.2,
    maxTokens: 100,
  });
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First", { temperature: 0.9, maxTokens: 5 }).response;
  const [call] = session.pendingToolCalls;
  await session.send([{ toolCallId: call?.toolCallId ?? "", output: "yes" }]).response;

  await session.send("Second").response;

  const told = world.provider.requests.map(({ options }) => [
    options.headers,
    options.temperature,
    options.maxTokens,
  ]);
  expect(told).toEqual([
    [headers, 0.9, 5],
    [headers, 0.9, 5],
    [headers, 0.2, 100],
  ]);
});

test("instructions that are waited for are recorded, and those of the session come first", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const agent = createAgent({
    name: "helper",
    model: world.provider,
    tools: [echoTool()],
    instructions: async ({ agent: name, sessionId, tools }) =>
      `${name} in ${sessionId} with ${tools.map((tool) => tool.name).join()}`,
  });
  const host = world.host({ agents: [agent] });
  const plain = host.createSession({ agent: "helper", id: "s1" });
  const told = host.createSession({ agent: "helper", config: { instructions: "Be brief." } });

  await plain.send("Hello").response;
  await told.send("Hello").response;

  const prompts = world.provider.requests.map(({ options }) => options.systemPrompt);
  expect(prompts).toEqual(["helper in s1 with echo", "Be brief."]);
});

test("an agent without instructions tells its model only that there are tools, if there are", async () => {
  const world = createWorld([say("One"), say("Two")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hello").response;
  await session.configure({ tools: [] });
  await session.send("Hello").response;

  const prompts = world.provider.requests.map(({ options }) => options.systemPrompt);
  expect(prompts).toEqual([expect.stringContaining("tools"), undefined]);
});
