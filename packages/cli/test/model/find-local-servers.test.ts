import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { askServer } from "../../src/model/ask-server.ts";
import { knownVendors } from "../../src/model/known-vendors.ts";
import { lookForLocal } from "../../src/model/look-for-local.ts";
import { ollamaServer, serve, serveJson } from "./local-server.ts";
import { noServers, settingsWith } from "./settings.ts";

async function look(env: Readonly<Record<string, string>>, ms = 10_000) {
  const vendors = knownVendors(settingsWith(), { ...noServers, ...env });
  const { signal } = new AbortController();
  const servers = await lookForLocal(vendors, { signal, limitMs: ms });
  return Object.fromEntries(
    servers.map(({ vendor, state, models }) => [vendor.row.id, { state, models }]),
  );
}

describe("Ollama", () => {
  test("has its loaded models first, with the window that they were loaded with", async () => {
    const tools = { capabilities: ["completion", "tools"] };
    const { url } = await ollamaServer([
      { name: "first:8b", details: { ...tools, parameters: 'stop "x"\nnum_ctx    16384\n' } },
      {
        name: "second:latest",
        details: {
          ...tools,
          model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        },
      },
      { name: "third:1b", loadedWith: 4_096, details: tools },
    ]);

    const { ollama } = await look({ OLLAMA_BASE_URL: `${url}/v1/` });

    expect(ollama).toEqual({
      state: "found",
      models: [
        { id: "third:1b", isLoaded: true, isSuitable: true, contextWindow: 4_096 },
        { id: "first:8b", isLoaded: false, isSuitable: true, contextWindow: 16_384 },
        { id: "second:latest", isLoaded: false, isSuitable: true, contextWindow: 40_960 },
      ],
    });
  });

  test("has models that are not suitable: without tools, or of another host", async () => {
    const { url } = await ollamaServer([
      { name: "embed", details: { capabilities: ["embedding"] } },
      { name: "large-cloud", remoteHost: "https://ollama.com:443" },
      { name: "of-an-old-version", details: { parameters: "num_ctx 2048" } },
    ]);

    const { ollama } = await look({ OLLAMA_BASE_URL: url });

    expect(ollama?.models.map(({ isSuitable }) => isSuitable)).toEqual([false, false, true]);
  });
});

describe("llama.cpp", () => {
  const row = { id: "qwen3.gguf", object: "model", owned_by: "llamacpp" };

  test("says what one request can hold, which is less than what the model could", async () => {
    const { url } = await serveJson({
      "/v1/models": { object: "list", data: [{ ...row, meta: { n_ctx_train: 131_072 } }] },
      "/props": { default_generation_settings: { n_ctx: 8_192 }, total_slots: 4 },
    });

    const { llamacpp } = await look({ LLAMACPP_BASE_URL: `${url}/v1` });

    expect(llamacpp).toEqual({
      state: "found",
      models: [{ id: "qwen3.gguf", isLoaded: true, isSuitable: true, contextWindow: 8_192 }],
    });
  });

  test("may have several models, of which it loads what is asked for", async () => {
    const { url } = await serveJson({
      "/v1/models": {
        data: [
          { ...row, id: "a", status: { value: "unloaded" } },
          { ...row, id: "b", status: { value: "loaded" }, meta: { n_ctx: 4_096 } },
        ],
      },
      "/props": { role: "router", default_generation_settings: { n_ctx: 0 } },
    });

    const { llamacpp } = await look({ LLAMACPP_BASE_URL: `${url}/v1` });

    expect(llamacpp?.models).toEqual([
      { id: "b", isLoaded: true, isSuitable: true, contextWindow: 4_096 },
      { id: "a", isLoaded: false, isSuitable: true },
    ]);
  });
});

test("LM Studio tells what is loaded, and with which window", async () => {
  const row = { object: "model", state: "not-loaded", max_context_length: 32_768 };
  const { url } = await serveJson({
    "/api/v0/models": {
      data: [
        { ...row, id: "nomic", type: "embeddings" },
        { ...row, id: "qwen-vl", type: "vlm" },
        { ...row, id: "llama", type: "llm", state: "loaded", loaded_context_length: 4_096 },
      ],
    },
  });

  const { lmstudio } = await look({ LMSTUDIO_BASE_URL: `${url}/v1` });

  expect(lmstudio?.models).toEqual([
    { id: "llama", isLoaded: true, isSuitable: true, contextWindow: 4_096 },
    { id: "nomic", isLoaded: false, isSuitable: false, contextWindow: 32_768 },
    { id: "qwen-vl", isLoaded: false, isSuitable: true, contextWindow: 32_768 },
  ]);
});

function everywhere(url: string) {
  return { OLLAMA_BASE_URL: url, LLAMACPP_BASE_URL: url, LMSTUDIO_BASE_URL: url };
}

async function statesOf(url: string, ms?: number) {
  return Object.values(await look(everywhere(url), ms)).map(({ state }) => state);
}

describe("what is none of them", () => {
  test("does not exist at all", async () => {
    expect(await statesOf("http://127.0.0.1:1")).toEqual(["absent", "absent", "absent"]);
    expect(await statesOf("not an address")).toEqual(["absent", "absent", "absent"]);
  });

  test("is a page, an error, another API, or half of an answer", async () => {
    const answers = [
      "<html>It works!</html>",
      "",
      "[]",
      "null",
      '{"models":',
      '{"data":[{"id":"gpt-4","owned_by":"openai"}],"models":[]}',
    ];
    const servers = await Promise.all(
      answers.map((text) => serve((_, response) => void response.end(text))),
    );

    const states = await Promise.all(servers.map(({ url }) => statesOf(url)));

    expect(new Set(states.flat())).toEqual(new Set(["other"]));
  });

  test("leads elsewhere, and is not followed", async () => {
    const there = await serveJson({
      "/api/version": { version: "1" },
      "/api/tags": { models: [] },
    });
    const { url } = await serve(({ url: path }, response) => {
      response.writeHead(307, { location: `${there.url}${path}` }).end();
    });

    expect(await statesOf(url)).toEqual(["other", "other", "other"]);
    expect(there.requests).toEqual([]);
  });

  test("sends without an end, and is left before long", async () => {
    let sent = 0;
    const { url } = await serve(async (_, response) => {
      while (!response.destroyed) {
        sent += 60_000;
        const isFlowing = response.write(" ".repeat(60_000));
        if (!isFlowing) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
    });

    expect(await statesOf(url)).toEqual(["other", "other", "other"]);
    expect(sent).toBeLessThan(100_000_000);
  });

  test("takes a request and says nothing, until the time is over", async () => {
    const silent = await serve(() => {});

    expect(await statesOf(silent.url, 100)).toEqual(["absent", "absent", "absent"]);
  });

  test("begins an answer and does not go on: it is left, and known to be there", async () => {
    const halting = await serve((_, response) => void response.write('{"models":['));
    const time = new AbortController();
    const server = askServer(halting.url, time.signal);

    const answer = server.json("/api/tags");
    await expect.poll(() => server.hasAnswered(), { interval: 5, timeout: 15_000 }).toBe(true);
    time.abort();

    expect(await answer).toBeUndefined();
  });

  test("is left when the user gives up", async () => {
    const silent = await serve(() => {});
    const vendors = knownVendors(settingsWith(), everywhere(silent.url));

    const states = await lookForLocal(vendors, { signal: AbortSignal.abort(), limitMs: 1e6 });

    expect(states.map(({ state }) => state)).toEqual(["absent", "absent", "absent"]);
  });
});
