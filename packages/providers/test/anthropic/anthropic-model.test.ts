import { say } from "@capstan/testing";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { afterEach, expect, test, vi } from "vitest";
import { anthropic } from "../../src/anthropic.ts";
import { requestOf } from "../request-of.ts";

afterEach(() => vi.unstubAllEnvs());

const options = { model: "claude-opus-5" };

test("a model is a provider and a name", () => {
  const { provider, id } = anthropic("claude-sonnet-5");

  expect([provider.id, id]).toEqual(["anthropic", "claude-sonnet-5"]);
  expect(provider.media?.imageTypes).toContain("image/webp");
});

test("without a key it says which variable to set", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  const { provider } = anthropic("claude-opus-5");

  const reading = Array.fromAsync(provider.stream(requestOf({ options })));

  await expect(reading).rejects.toMatchObject({
    code: "auth",
    message: "No API key for Anthropic: set ANTHROPIC_API_KEY, or pass `apiKey`",
  });
});

test("the key and the version of the API go with each request", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-from-the-environment");
  await using claude = await anthropicEmulator([say("Hi")], { apiKey: "sk-from-the-environment" });
  const { provider } = anthropic("claude-opus-5", { baseUrl: claude.url });

  const parts = await Array.fromAsync(provider.stream(requestOf({ options })));

  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  expect(claude.requests[0]?.headers).toMatchObject({
    "x-api-key": "sk-from-the-environment",
    "anthropic-version": "2023-06-01",
  });
});

test("a wrong key is an error of authorization", async () => {
  await using claude = await anthropicEmulator([], { apiKey: "sk-right" });
  const { provider } = anthropic("claude-opus-5", { baseUrl: claude.url, apiKey: "sk-wrong-key" });

  const reading = Array.fromAsync(provider.stream(requestOf({ options })));

  await expect(reading).rejects.toMatchObject({ code: "auth", retryable: false, status: 401 });
});
