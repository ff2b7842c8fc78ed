import { createModelRegistry } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { defaultAliases, nameOfRegistered } from "../../src/models/registry.ts";
import { readSnapshot, snapshotDate, snapshotVendors } from "../../src/models/snapshot.ts";
import about from "../../src/models/snapshot/about.json" with { type: "json" };

describe("the snapshot", () => {
  test("is of the day that it says, and of these vendors", () => {
    expect({ date: snapshotDate, vendors: snapshotVendors }).toEqual(about);
  });

  test.each(snapshotVendors)(
    "has models of %s with limits and prices that make sense",
    async (vendor) => {
      const models = await readSnapshot(vendor);

      expect(models.length).toBeGreaterThan(0);
      expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
      for (const { id, contextWindow, maxOutputTokens, price } of models) {
        expect(contextWindow, id).toBeGreaterThan(1_000);
        expect(maxOutputTokens, id).toBeGreaterThan(0);
        expect(price?.input ?? 0, id).toBeGreaterThanOrEqual(0);
      }
    },
  );

  test.each(Object.entries(defaultAliases))(
    "has every model that %s may mean",
    async (_, names) => {
      const registry = createModelRegistry();

      const found = await Promise.all(names.map((name) => registry.find(name)));

      expect(found.map((models) => models.map(nameOfRegistered))).toEqual(
        names.map((name) => [name]),
      );
    },
  );
});

describe("a model", () => {
  test("is found by vendor and id, with what is known of it", async () => {
    const [model] = await createModelRegistry().find("anthropic/claude-sonnet-4-5");

    expect(model).toMatchObject({
      vendor: "anthropic",
      id: "claude-sonnet-4-5",
      facts: {
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        input: ["text", "image", "document"],
      },
      price: {
        id: snapshotDate,
        inputPerMillion: 3,
        outputPerMillion: 15,
        cacheReadPerMillion: 0.3,
      },
    });
  });

  test("is found by its id alone, at every vendor that has it", async () => {
    const found = await createModelRegistry().find("gpt-4.1");

    expect(found.map(nameOfRegistered)).toEqual(["azure/gpt-4.1", "openai/gpt-4.1"]);
  });

  test.each([
    ["openai.responses", "openai"],
    ["openai.chat", "openai"],
    ["anthropic.messages", "anthropic"],
    ["google.generative-ai", "google"],
    ["vertex.anthropic.messages", "anthropic"],
    ["azure-openai.responses", "azure"],
    ["xai.chat", "xai"],
  ])("of %s in the AI SDK has the facts and the price of %s", async (provider, vendor) => {
    const registry = createModelRegistry();
    const { id = "" } = (await registry.list()).find((model) => model.vendor === vendor) ?? {};

    expect(await registry.get(provider, id)).toEqual(await registry.get(vendor, id));
    expect(await registry.get(provider, id)).toMatchObject({ vendor, facts: expect.anything() });
  });

  test("whose id has a slash is found behind that of its vendor", async () => {
    const found = await createModelRegistry().find("groq/openai/gpt-oss-120b");

    expect(found).toMatchObject([{ vendor: "groq", id: "openai/gpt-oss-120b" }]);
  });

  test("that nobody knows is not found, and names like it are suggested", async () => {
    const registry = createModelRegistry();

    expect(await registry.find("anthropic/claude-sonet-5")).toEqual([]);
    expect(await registry.suggest("anthropic/claude-sonet-5")).toContain(
      "anthropic/claude-sonnet-5",
    );
    expect(await registry.suggest("claude-sonet-5")).toContain("anthropic/claude-sonnet-5");
    expect(await registry.suggest("defalt")).toEqual(["default"]);
    expect(await registry.suggest("zzzz")).toEqual([]);
  });

  test("that was registered is known like the others, and takes the place of one of that name", async () => {
    const registry = createModelRegistry({
      models: [{ vendor: "house", id: "big", label: "Big" }],
    });
    const price = { inputPerMillion: 1, outputPerMillion: 1 };
    registry.registerModel({ vendor: "openai", id: "gpt-4.1", price });

    expect(await registry.get("house", "big")).toMatchObject({ label: "Big" });
    expect(await registry.get("openai", "gpt-4.1")).toEqual({
      vendor: "openai",
      id: "gpt-4.1",
      price,
    });
    expect((await registry.list()).map(nameOfRegistered)).toContain("house/big");
  });

  test("has the prices of its tiers", async () => {
    const model = await createModelRegistry().get("google", "gemini-2.5-pro");

    expect(model?.price?.tiers).toEqual([
      {
        aboveInputTokens: 200_000,
        inputPerMillion: 2.5,
        outputPerMillion: 15,
        cacheReadPerMillion: 0.25,
      },
    ]);
  });
});

test.each(["constructor", "__proto__", "/", "", "openai/", "toString/x"])(
  "the name %j is no model",
  async (name) => {
    const registry = createModelRegistry();

    expect(await registry.find(name)).toEqual([]);
    expect(registry.namesOf(name)).toEqual([name]);
  },
);
