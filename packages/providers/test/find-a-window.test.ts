import type { IncomingMessage } from "node:http";
import type { JsonValue } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { google } from "../src/google.ts";
import { openai } from "../src/openai.ts";
import { openaiCompatible } from "../src/openai-compatible.ts";
import { vendors } from "../src/vendors.ts";
import { answering, recording, serve } from "./transport/test-vendor.ts";

interface Asked {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** A server that answers these paths, and 404 to all others. */
async function server(
  answers: Readonly<Record<string, JsonValue>>,
  asked: Asked[] = [],
): Promise<string> {
  const url = await serve(
    recording(asked, (response) => {
      const path = asked.at(-1)?.request.url ?? "";
      const answer = answers[path];
      response
        .writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(answer ?? {}));
    }),
  );
  return new URL(url).origin;
}

async function compatibleWindow(answers: Readonly<Record<string, JsonValue>>, path = "/v1") {
  const house = openaiCompatible({ baseUrl: (await server(answers)) + path });
  return house("my-model").provider.findContextWindow?.("my-model", {});
}

describe("a compatible server", () => {
  test.each<[string, Readonly<Record<string, JsonValue>>, number]>([
    ["vLLM", { "/v1/models": { data: [{ id: "my-model", max_model_len: 32_768 }] } }, 32_768],
    ["Groq", { "/v1/models": { data: [{ id: "my-model", context_window: 131_072 }] } }, 131_072],
    ["OpenRouter", { "/v1/models": { data: [{ id: "my-model", context_length: 9_000 }] } }, 9_000],
    ["Mistral", { "/v1/models": { data: [{ id: "my-model", max_context_length: 7_000 }] } }, 7_000],
    ["a router", { "/v1/models": { data: [{ id: "my-model", max_input_tokens: 6_000 }] } }, 6_000],
    ["a bare list", { "/v1/models": [{ id: "my-model", context_length: 8_000 }] }, 8_000],
    [
      "llama.cpp",
      {
        "/v1/models": { data: [{ id: "my-model", meta: { n_ctx_train: 131_072 } }] },
        "/props": { default_generation_settings: { n_ctx: 4_096 } },
      },
      4_096,
    ],
    [
      "llama.cpp, of a model that is loaded",
      { "/v1/models": { data: [{ id: "my-model", meta: { n_ctx: 2_048, n_ctx_train: 9_000 } }] } },
      2_048,
    ],
    [
      "Ollama, of a model that runs",
      {
        "/v1/models": { data: [{ id: "my-model" }] },
        "/api/ps": { models: [{ name: "my-model:latest", context_length: 16_384 }] },
        "/api/show": {
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        },
      },
      16_384,
    ],
    [
      "Ollama, of a model that does not",
      {
        "/api/show": {
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        },
      },
      40_960,
    ],
    [
      "Ollama, of a model whose file sets it",
      {
        "/api/show": {
          parameters: 'stop "<end>"\nnum_ctx 8192\n',
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        },
      },
      8_192,
    ],
    [
      "LM Studio, of a model that is loaded",
      {
        "/api/v0/models": {
          data: [{ id: "my-model", loaded_context_length: 4_096, max_context_length: 65_536 }],
        },
      },
      4_096,
    ],
    [
      "LM Studio",
      { "/api/v0/models": { data: [{ id: "my-model", max_context_length: 65_536 }] } },
      65_536,
    ],
  ])("that is %s tells the window", async (_, answers, window) => {
    expect(await compatibleWindow(answers)).toBe(window);
  });

  test.each<[string, Readonly<Record<string, JsonValue>>]>([
    ["has nothing to tell", {}],
    ["has other models", { "/v1/models": { data: [{ id: "other", max_model_len: 1 }] } }],
    [
      "says that it does not know",
      { "/v1/models": { data: [{ id: "my-model", max_model_len: 0 }] } },
    ],
    ["says something else", { "/v1/models": "hello", "/props": [1], "/api/show": null }],
  ])("that %s leaves it unknown", async (_, answers) => {
    expect(await compatibleWindow(answers)).toBeUndefined();
  });

  test("that fails leaves it unknown, whatever its answer looks like", async () => {
    const list = JSON.stringify({ data: [{ id: "m", max_model_len: 9_000 }] });
    const json = { "content-type": "application/json" };
    const house = openaiCompatible({ baseUrl: await serve(answering(list, 503, json)) });

    expect(await house("m").provider.findContextWindow?.("m", {})).toBeUndefined();
  });

  test("that is not there, and a caller who has left, leave it unknown", async () => {
    const house = openaiCompatible({ baseUrl: "http://127.0.0.1:1/v1" })("m").provider;
    const signal = AbortSignal.abort();

    expect(await house.findContextWindow?.("m", {})).toBeUndefined();
    expect(await house.findContextWindow?.("m", { signal })).toBeUndefined();
  });
});

describe("a vendor", () => {
  test("is asked with its key, at its path, and for nothing that it does not have", async () => {
    const asked: Asked[] = [];
    const baseUrl = await server({ "/v1/models/claude-x": { max_input_tokens: 1_000_000 } }, asked);

    const window = await anthropic("claude-x", { baseUrl }).provider.findContextWindow?.(
      "claude-x",
      {
        apiKey: "key-of-a-test",
      },
    );

    expect(window).toBe(1_000_000);
    expect(asked[0]?.request.headers["x-api-key"]).toBe("key-of-a-test");
  });

  test("of Gemini tells it, and OpenAI, which does not, is asked once", async () => {
    const asked: Asked[] = [];
    const model = { inputTokenLimit: 2_000 };
    const baseUrl = await server({ "/v1beta/models/gemini-x": model, "/v1/models": {} }, asked);
    const apiKey = "key-of-a-test";

    expect(
      await google("gemini-x", { baseUrl, apiKey }).provider.findContextWindow?.("gemini-x", {}),
    ).toBe(2_000);
    expect(
      await openai("gpt-x", { baseUrl, apiKey }).provider.findContextWindow?.("gpt-x", {}),
    ).toBeUndefined();
    expect(asked.map(({ request }) => request.url)).toEqual([
      "/v1beta/models/gemini-x",
      "/v1/models",
    ]);
  });

  test("without its key is not asked", async () => {
    const asked: Asked[] = [];
    const baseUrl = await server({}, asked);

    const { provider } = vendors["groq"]!("m", { baseUrl, apiKey: " " });

    expect(await provider.findContextWindow?.("m", {})).toBeUndefined();
    expect(asked).toEqual([]);
  });
});
