import { createAgent, createModelRegistry, modelResolver } from "@capstan/core";
import { complete } from "@capstan/providers/complete";
import { openaiCompatible } from "@capstan/providers/openai-compatible";
import { vendorRows, vendors } from "@capstan/providers/vendors";
import { describe, expect, test, vi } from "vitest";

const messages = [{ role: "user", id: "u1", content: "Hello" }] as const;

describe("vendors", () => {
  test("are rows that say who they are and where they listen", () => {
    expect(vendorRows.map(({ id, protocol }) => `${id}: ${protocol.id}`)).toMatchInlineSnapshot(`
      [
        "anthropic: anthropic-messages",
        "azure: openai-responses",
        "deepseek: openai-chat",
        "google: google-generate",
        "groq: openai-chat",
        "llamacpp: openai-chat",
        "lmstudio: openai-chat",
        "mistral: openai-chat",
        "ollama: openai-chat",
        "openai: openai-responses",
        "openrouter: openai-chat",
        "xai: openai-responses",
      ]
    `);
  });

  test.each(vendorRows.filter(({ keyVariable }) => keyVariable !== undefined))(
    "$id without its key says which variable to set",
    async ({ id, keyVariable = "" }) => {
      vi.stubEnv(keyVariable, "");
      const { provider } = vendors[id]?.("a-model", { baseUrl: "http://127.0.0.1:1" }) ?? {};

      const failed = complete(provider!, { messages, options: { model: "a-model" } });

      await expect(failed).rejects.toMatchObject({
        code: "auth",
        message: expect.stringContaining(keyVariable),
      });
      vi.unstubAllEnvs();
    },
  );

  test("of the snapshot can all be reached", async () => {
    const models = await createModelRegistry().list();

    const missing = new Set(models.map(({ vendor }) => vendor)).difference(
      new Set(Object.keys(vendors)),
    );

    expect(missing).toEqual(new Set());
  });

  test("resolve names of models", async () => {
    const resolve = modelResolver({ vendors });

    expect(await resolve("default")).toMatchObject({ provider: { id: "anthropic" } });
    expect(await resolve("groq/openai/gpt-oss-20b")).toMatchObject({ provider: { id: "groq" } });
  });

  test("that nobody knows are reached by their URL", async () => {
    const house = openaiCompatible({
      baseUrl: "http://127.0.0.1:1/v1",
      id: "house",
      name: "House",
    });
    const agent = createAgent({
      model: { ...house("big"), facts: { contextWindow: 32_000 } },
      retry: { maxAttempts: 1 },
    });

    const { error } = await agent.runTurn({ input: "Hello" }).response;

    expect(error).toMatchObject({
      code: "network",
      message: expect.stringContaining("http://127.0.0.1:1/v1/chat/completions"),
    });
  });
});
