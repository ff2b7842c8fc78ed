/** Sampling settings and vendor options of agents, sessions and turns, as a provider is told them. */
import { AgentError, createAgent } from "@capstan/core";
import type { ProviderOptionsByVendor } from "@capstan/kernel";
import { remoteTool, callTool, say, scriptedProvider, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

const settings = {
  topP: 0.1,
  topK: 1,
  stop: ["agent"],
  seed: 1,
  frequencyPenalty: 0.1,
  presencePenalty: 0.1,
  serviceTier: "agent",
};

test("a turn's settings go before its session's, and those before the agent's", async () => {
  const world = createWorld([say("One"), say("Two")], [], settings);
  const session = world.host().createSession({
    agent: "helper",
    config: { topP: 0.2, topK: 2, stop: ["session"], seed: 2 },
  });

  await session.send("First", { topP: 0.3, stop: ["turn"] }).response;
  await session.configure({ seed: 3 });
  await session.send("Second").response;

  expect(world.provider.requests).toMatchObject([
    { options: { ...settings, topP: 0.3, topK: 2, stop: ["turn"], seed: 2 } },
    { options: { ...settings, topP: 0.2, topK: 2, stop: ["session"], seed: 3 } },
  ]);
});

test("vendor options are merged field by field, and those of the turn win", async () => {
  const world = createWorld([say("One")], [], {
    providerOptions: { house: { a: 1, b: { c: 1, d: 1 }, e: 1 }, other: { kept: true } },
  });
  const session = world.host().createSession({
    agent: "helper",
    config: { providerOptions: { house: { b: { c: 2 }, e: 2 } } },
  });

  await session.send("First", { providerOptions: { house: { a: null, e: 3 } } }).response;

  expect(world.provider.requests[0]?.options.providerOptions).toEqual({
    house: { a: null, b: { c: 2, d: 1 }, e: 3 },
    other: { kept: true },
  });
});

test("a turn that is resumed in another process is asked with the same settings and options", async () => {
  const world = createWorld([stall(), say("Done")]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  const overrides = { topK: 5, stop: ["END"], providerOptions: { house: { a: { b: [1, "x"] } } } };
  session.send("Hello", overrides);
  await world.clock.advance(0);
  process.die();

  await world.host().open(session.id);
  await world.clock.advance(32_000);

  expect(world.provider.requests.map(({ options }) => options)).toMatchObject([
    overrides,
    overrides,
  ]);
});

test("a turn that goes on after an answer keeps them", async () => {
  const world = createWorld([callTool("ask"), say("Done")], [remoteTool({ name: "ask" })]);
  const session = world.host().createSession({ agent: "helper" });
  const overrides = { seed: 9, providerOptions: { house: { a: 1 } } };

  const { pendingToolCalls } = await session.send("Hello", overrides).response;
  const { toolCallId } = pendingToolCalls?.[0] ?? { toolCallId: "" };
  await session.send([{ toolCallId, output: "yes" }]).response;

  expect(world.provider.requests.map(({ options }) => options)).toMatchObject([
    overrides,
    overrides,
  ]);
});

test.each([
  ["a text", "text", "providerOptions must be an object"],
  ["a vendor's text", { openai: "x" }, "providerOptions.openai must be an object"],
  ["a function", { openai: { a: [() => 1] } }, "providerOptions.openai.a.0 is not JSON"],
])("options that are %s are refused, for agents and for turns", async (_, wrong, problem) => {
  const providerOptions = wrong as unknown as ProviderOptionsByVendor;
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });

  const { error } = await session.send("Hello", { providerOptions }).response;

  expect(error?.message).toContain(problem);
  expect(error?.code).toBe("invalid_input");
  expect(() => createAgent({ model: scriptedProvider([]), providerOptions })).toThrow(AgentError);
});

test("what is undefined in options is not there", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  const options = { house: { a: 1, b: undefined }, other: undefined };

  await session.send("Hello", { providerOptions: options as unknown as ProviderOptionsByVendor })
    .response;

  expect(world.provider.requests[0]?.options.providerOptions).toStrictEqual({ house: { a: 1 } });
});
