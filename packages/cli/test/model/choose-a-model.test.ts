import { describe, expect, test } from "vitest";
import type { Env } from "../../src/config/env.ts";
import type { Settings } from "../../src/config/settings.ts";
import { chooseModel, createModelSource } from "../../src/model/choose-model.ts";
import { ollamaServer, serve, serveJson } from "./local-server.ts";
import { noServers, settingsWith } from "./settings.ts";

function choose(changes: Partial<Settings>, env: Env, isOffline = false) {
  const settings = settingsWith(changes);
  const source = createModelSource(settings, { ...noServers, ...env });
  const { signal } = new AbortController();
  return chooseModel({ settings, source, isOffline, signal });
}

const tools = { capabilities: ["completion", "tools"] };

describe("without a word of the user", () => {
  test("the first vendor of the default models that has its key is taken", async () => {
    const chosen = await choose({}, { MISTRAL_API_KEY: "m-key", OPENAI_API_KEY: "o-key" });

    expect(chosen).toMatchObject({
      name: expect.stringMatching(/^openai\//),
      reason: "OPENAI_API_KEY is set",
      model: { provider: { id: "openai" }, facts: { contextWindow: expect.any(Number) } },
    });
  });

  test("a key that is empty is not set", async () => {
    const chosen = await choose({}, { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: " \n" });

    expect(chosen.name).toBe("offline");
  });

  test("no server is asked if there is a key", async () => {
    const server = await ollamaServer([{ name: "a", loadedWith: 8_192, details: tools }]);

    const chosen = await choose({}, { XAI_API_KEY: "x", OLLAMA_BASE_URL: server.url });

    expect(chosen.name).toMatch(/^xai\//);
    expect(server.requests).toEqual([]);
  });

  test("without a key a server on this machine is taken, with a model that can call tools", async () => {
    const { url } = await ollamaServer([
      { name: "embed", loadedWith: 512, details: { capabilities: ["embedding"] } },
      { name: "qwen3:8b", details: { ...tools, parameters: "num_ctx 16384" } },
    ]);

    const chosen = await choose({}, { OLLAMA_BASE_URL: `${url}/v1` });

    expect(chosen).toMatchObject({
      name: "ollama/qwen3:8b",
      reason: `no key is set and Ollama is running at ${url}`,
      model: { id: "qwen3:8b", facts: { contextWindow: 16_384 } },
    });
  });

  test("a server without a suitable model is passed over", async () => {
    const empty = await ollamaServer([]);
    const { url } = await serveJson({
      "/v1/models": { data: [{ id: "m", owned_by: "llamacpp", meta: { n_ctx: 8_192 } }] },
    });

    const chosen = await choose({}, { OLLAMA_BASE_URL: empty.url, LLAMACPP_BASE_URL: `${url}/v1` });

    expect(chosen.name).toBe("llamacpp/m");
  });

  test("the configuration may say where a server is; a variable goes before it", async () => {
    const details = { ...tools, parameters: "num_ctx 4096" };
    const [ofFile, ofVariable] = await Promise.all([
      ollamaServer([{ name: "of-file", details }]),
      ollamaServer([{ name: "of-variable", details }]),
    ]);
    const providers = { ollama: { baseUrl: ofFile.url } };

    const first = await choose({ providers }, { OLLAMA_BASE_URL: undefined });
    const second = await choose({ providers }, { OLLAMA_BASE_URL: ofVariable.url });

    expect([first.name, second.name]).toEqual(["ollama/of-file", "ollama/of-variable"]);
  });

  test("with nothing at all it is the offline provider, and one line says why", async () => {
    const chosen = await choose({}, {});

    expect(chosen).toMatchObject({ name: "offline", model: { provider: { id: "offline" } } });
    expect(chosen.reason).toBe(
      "no key is set (ANTHROPIC_API_KEY, OPENAI_API_KEY, …) and none of Ollama, llama.cpp, LM Studio is running with a model; see `capstan doctor`",
    );
  });

  test("a server that accepts the request and never answers does not block the command", async () => {
    const { url } = await serve(() => {});

    const env = { OLLAMA_BASE_URL: url, LMSTUDIO_BASE_URL: url };

    const chosen = await choose({ lookMs: 200 }, env);

    expect(chosen.name).toBe("offline");
  });

  test("offline asks no server and needs no key", async () => {
    const server = await ollamaServer([{ name: "a", loadedWith: 8_192, details: tools }]);

    const chosen = await choose(
      { model: "default" },
      { OLLAMA_BASE_URL: server.url, OPENAI_API_KEY: "k" },
      true,
    );

    expect(chosen).toMatchObject({ name: "offline", reason: "--offline was given" });
    expect(server.requests).toEqual([]);
  });
});

describe("a model that was asked for", () => {
  test("is found by its name, by its id alone, and by an alias", async () => {
    const env = { GEMINI_API_KEY: "g" };

    const names = await Promise.all(
      ["google/gemini-3.8-flash", "gemini-3.8-flash", "fast", "google/not-out-yet"].map((model) =>
        choose({ model }, env).then(
          ({ name }) => name,
          (error) => error.code,
        ),
      ),
    );

    expect(names).toEqual([
      "google/gemini-3.8-flash",
      "google/gemini-3.8-flash",
      "google/gemini-3.8-flash",
      "unknown_window",
    ]);
  });

  test("needs a key, which is named, and no other key is used instead", async () => {
    const chosen = choose({ model: "anthropic/claude-opus-5" }, { OPENAI_API_KEY: "k" });

    await expect(chosen).rejects.toMatchObject({
      name: "ModelError",
      code: "missing_key",
      message: 'No key for model "anthropic/claude-opus-5" of Anthropic: set ANTHROPIC_API_KEY',
    });
  });

  test("of a vendor without a common address needs its base URL", async () => {
    const chosen = choose({ model: "azure/gpt-5" }, { AZURE_OPENAI_API_KEY: "k" });

    await expect(chosen).rejects.toMatchObject({
      code: "missing_base_url",
      message: expect.stringContaining("AZURE_OPENAI_BASE_URL"),
    });
  });

  test("that is unknown is answered with similar names", async () => {
    const chosen = choose({ model: "claude-opuss-5" }, { ANTHROPIC_API_KEY: "k" });

    await expect(chosen).rejects.toMatchObject({
      code: "unknown_model",
      message: expect.stringMatching(
        /^Unknown model "claude-opuss-5"\. Did you mean .*anthropic\/claude-opus-5.*\? See `capstan models`/,
      ),
    });
  });

  test("of a server on this machine is asked for its window", async () => {
    const { url } = await ollamaServer([{ name: "small:latest", loadedWith: 2_048 }]);
    const env = { OLLAMA_BASE_URL: url };

    const chosen = await choose({ model: "ollama/small" }, env);
    const unknown = choose({ model: "ollama/large" }, env);

    expect(chosen.model.facts).toEqual({ contextWindow: 2_048 });
    await expect(unknown).rejects.toMatchObject({
      code: "unknown_model",
      message: `Ollama at ${url} has no model "large". It has: small:latest`,
    });
  });

  test("of a server that is not there is an error that says where it was looked for", async () => {
    const page = await serve((_, response) => void response.end("<html>"));
    const absent = choose({ model: "lmstudio/m" }, {});
    const other = choose(
      { model: "lmstudio/m" },
      { LMSTUDIO_BASE_URL: page.url.replace("//", "//me:secret@") },
    );

    await expect(absent).rejects.toMatchObject({
      code: "absent_server",
      message: expect.stringContaining("LM Studio at http://127.0.0.1:1 does not answer"),
    });
    await expect(other).rejects.toMatchObject({
      message: expect.not.stringContaining("secret"),
    });
  });
});

describe("a vendor of the configuration", () => {
  const house = {
    protocol: "openai-chat",
    baseUrl: "http://127.0.0.1:1/v1",
    keyVariable: "HOUSE_KEY",
    models: [{ id: "big", contextWindow: 64_000 }],
  } as const;

  test("is known by its id, and is taken if no vendor's key is set", async () => {
    const named = await choose({ providers: { house }, model: "house/big" }, { HOUSE_KEY: "k" });
    const unnamed = await choose({ providers: { house } }, { HOUSE_KEY: "k" });

    expect(named).toMatchObject({ name: "house/big", model: { facts: { contextWindow: 64_000 } } });
    expect(unnamed.name).toBe("house/big");
  });

  test("needs the key that it names, or a header for it", async () => {
    const { keyVariable: _, ...open } = house;
    const headers = { Authorization: "Basic abc" };

    const missing = choose({ providers: { house }, model: "house/big" }, {});
    const names = await Promise.all(
      [open, { ...house, headers }].map((vendor) =>
        choose({ providers: { house: vendor }, model: "house/big" }, {}),
      ),
    );

    await expect(missing).rejects.toMatchObject({
      code: "missing_key",
      message: expect.stringContaining("HOUSE_KEY"),
    });
    expect(names.map(({ name }) => name)).toEqual(["house/big", "house/big"]);
  });

  test("that does not say how it is spoken to is incomplete", () => {
    const settings = settingsWith({ providers: { anthropi: { baseUrl: "http://x" } } });

    expect(() => createModelSource(settings, {})).toThrow(
      'Unknown vendor "anthropi" in the configuration, without a protocol: add providers.anthropi.protocol, or correct the name.',
    );
  });

  test("may change what is known of a model, and the rest stays", async () => {
    const models = [{ id: "claude-opus-5", contextWindow: 100_000 }];

    const chosen = await choose(
      { providers: { anthropic: { models } }, model: "anthropic/claude-opus-5" },
      { ANTHROPIC_API_KEY: "k" },
    );

    expect(chosen.model.facts?.contextWindow).toBe(100_000);
    expect(chosen.model.price?.outputPerMillion).toBe(25);
  });

  test("is asked for the window of a model that the configuration does not state", async () => {
    const { url } = await serveJson({
      "/v1/models": { data: [{ id: "big", max_model_len: 24_576 }] },
    });
    const providers = { house: { protocol: "openai-chat", baseUrl: `${url}/v1` } } as const;

    const { model } = await choose({ model: "house/big", providers }, {});

    expect(model).toMatchObject({ id: "big", facts: { contextWindow: 24_576 } });
  });
});
