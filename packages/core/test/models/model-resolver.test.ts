import type { VendorFunction } from "@capstan/core";
import { createAgent, createModelRegistry, modelResolver } from "@capstan/core";
import type { ScriptedProvider } from "@capstan/testing";
import { say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test } from "vitest";

/** A vendor whose models all say the same. */
function vendor(id: string): VendorFunction & { readonly provider: ScriptedProvider } {
  const provider = scriptedProvider([say("Hi"), say("Hi"), say("Hi")], {
    id,
    usage: { inputTokens: 1_000_000, outputTokens: 0 },
  });
  return Object.assign((model: string) => ({ provider, id: model }), { provider });
}

describe("a name", () => {
  test("is resolved to a model that its vendor reaches, with limits and price", async () => {
    const resolve = modelResolver({ vendors: { openai: vendor("openai") } });

    expect(await resolve("openai/gpt-4.1")).toMatchObject({
      provider: { id: "openai" },
      id: "gpt-4.1",
      facts: { contextWindow: 1_047_576 },
      price: { inputPerMillion: 2 },
    });
  });

  test("without a vendor means the one that can be reached", async () => {
    const resolve = modelResolver({ vendors: { azure: vendor("azure") } });

    expect(await resolve("gpt-4.1")).toMatchObject({ provider: { id: "azure" }, id: "gpt-4.1" });
  });

  test("that is an alias means the first model that can be reached", async () => {
    const openai = { vendors: { openai: vendor("openai") } };
    const registry = createModelRegistry({ aliases: { mine: ["house/big", "openai/gpt-4.1"] } });

    expect(await modelResolver(openai)("default")).toMatchObject({ id: "gpt-6-sol" });
    expect(await modelResolver({ ...openai, registry })("mine")).toMatchObject({ id: "gpt-4.1" });
  });

  test("of a model that is too new is taken as it is, if it says the vendor", async () => {
    const resolve = modelResolver({ vendors: { openai: vendor("openai") } });

    expect(await resolve("openai/gpt-77")).toMatchObject({ id: "gpt-77" });
  });

  test.each([
    ["openai/", "openai"],
    ["gpt-4.l", "gpt-4.1"],
    ["anthropic/claude-opus-5", "openai"],
  ])("that leads nowhere, as %s, is an error that says what there is", async (name, hint) => {
    const resolve = modelResolver({ vendors: { openai: vendor("openai") } });

    await expect(resolve(name)).rejects.toMatchObject({
      code: "unknown_model",
      message: expect.stringContaining(hint),
    });
  });
});

describe("what is known of a model", () => {
  test("reaches the provider, and counts the cost, though nobody has said it", async () => {
    const openai = vendor("openai");
    const agent = createAgent({ model: openai("gpt-4.1"), includeCost: true });

    const { cost } = await agent.runTurn({ input: "Hello" }).response;
    await agent.runTurn({ input: "Hello" }).response;

    expect(openai.provider.requests.map(({ options }) => options.modelFacts)).toMatchObject(
      Array(2).fill({ contextWindow: 1_047_576, thinking: false }),
    );
    expect(cost).toBe(2);
  });

  test.each([
    ["openai.responses", "gpt-4.1", 2],
    ["vertex.anthropic.messages", "claude-sonnet-4-5", 3],
  ])("of %s in the AI SDK counts the cost of %s", async (id, model, expected) => {
    const agent = createAgent({ model: vendor(id)(model), includeCost: true });

    const { cost } = await agent.runTurn({ input: "Hello" }).response;

    expect(cost).toBe(expected);
  });

  test("gives way to what the program says", async () => {
    const openai = vendor("openai");
    const model = { ...openai("gpt-4.1"), facts: { contextWindow: 8 } };
    const price = { inputPerMillion: 7, outputPerMillion: 7 };
    const registry = createModelRegistry({ models: [{ vendor: "openai", id: "gpt-4.1", price }] });

    const { cost } = await createAgent({ model, registry, includeCost: true }).runTurn({
      input: "Hello",
    }).response;

    expect(openai.provider.requests[0]?.options.modelFacts).toEqual({ contextWindow: 8 });
    expect(cost).toBe(7);
  });

  test("is not looked for where the snapshot has no such vendor", async () => {
    const house = vendor("house");

    await createAgent({ model: house("big") }).run("Hello");

    expect(house.provider.requests[0]?.options).not.toHaveProperty("modelFacts");
  });
});
