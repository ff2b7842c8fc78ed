import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { complete } from "../src/complete.ts";
import { version } from "../src/wire/version.ts";
import { vendorRows, vendors } from "../src/vendors.ts";
import { requestOf } from "./request-of.ts";
import { recording, serve } from "./transport/test-vendor.ts";

interface Asked {
  readonly request: IncomingMessage;
  readonly body: string;
}

beforeEach(() => {
  for (const { baseUrlVariable = "" } of vendorRows) vi.stubEnv(baseUrlVariable, undefined);
  return () => vi.unstubAllEnvs();
});

/** A host that has nothing, and what it was asked for. */
async function emptyHost(): Promise<{ readonly host: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const url = await serve(
    recording(asked, (response) => {
      response.writeHead(404, { "content-type": "application/json" }).end('{"detail":"Not Found"}');
    }),
  );
  return { host: new URL(url).origin, asked };
}

function ask(vendor: string, baseUrl?: string): Promise<unknown> {
  const { provider } = vendors[vendor]!("some-model", {
    apiKey: "key-of-a-test",
    ...(baseUrl !== undefined && { baseUrl }),
  });
  return complete(provider, {
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    options: { model: "some-model" },
  }).catch((thrown: unknown) => thrown);
}

const google = "/v1beta/models/some-model:streamGenerateContent?alt=sse";

describe("a base URL", () => {
  test.each([
    ["openai", "OPENAI_BASE_URL", "", "/v1/responses"],
    ["openai", "OPENAI_BASE_URL", "/v1/", "/v1/responses"],
    ["openai", "OPENAI_BASE_URL", "/gateway/openai", "/gateway/openai/responses"],
    ["anthropic", "ANTHROPIC_BASE_URL", "", "/v1/messages"],
    ["anthropic", "ANTHROPIC_BASE_URL", "/v1", "/v1/messages"],
    ["anthropic", "ANTHROPIC_BASE_URL", "/anthropic", "/anthropic/v1/messages"],
    ["google", "GOOGLE_GEMINI_BASE_URL", "", google],
    ["google", "GOOGLE_GEMINI_BASE_URL", "/v1beta", google],
    ["google", "GOOGLE_GEMINI_BASE_URL", "/gemini", `/gemini${google}`],
    ["groq", "GROQ_BASE_URL", "", "/openai/v1/chat/completions"],
    ["openrouter", "OPENROUTER_BASE_URL", "/api/v1", "/api/v1/chat/completions"],
    ["mistral", "MISTRAL_BASE_URL", "", "/v1/chat/completions"],
    ["deepseek", "DEEPSEEK_BASE_URL", "", "/chat/completions"],
    ["xai", "XAI_BASE_URL", "", "/v1/responses"],
    ["ollama", "OLLAMA_BASE_URL", "", "/v1/chat/completions"],
  ])("of %s in %s with the path %j is asked at %s", async (vendor, variable, path, expected) => {
    const { host, asked } = await emptyHost();
    vi.stubEnv(variable, host + path);

    await ask(vendor);

    expect(asked[0]?.request.url).toBe(expected);
  });

  test("that is blank in its variable is the vendor's own", async () => {
    const asked: string[] = [];
    vi.stubEnv("OPENAI_BASE_URL", " ");
    const fetch: typeof globalThis.fetch = (url) => {
      asked.push(new Request(url).url);
      return Promise.resolve(Response.json({}, { status: 404 }));
    };
    const { provider } = vendors["openai"]!("some-model", { apiKey: "key-of-a-test", fetch });

    const parts = Array.fromAsync(provider.stream(requestOf({ options: { model: "some-model" } })));

    await expect(parts).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toEqual(["https://api.openai.com/v1/responses"]);
  });

  test("of the options goes before that of the variable", async () => {
    const { host, asked } = await emptyHost();
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");

    await ask("openai", `${host}/v1`);

    expect(asked).toHaveLength(1);
  });

  test("that leads nowhere is named in the error, without its query", async () => {
    const { host } = await emptyHost();

    const error = await ask("openai", `${host}/wrong?token=secret`);

    expect(error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(`${host}/wrong/responses`),
    });
    expect(String(error)).not.toContain("secret");
  });
});

test("requests name the runtime and its version", async () => {
  const { host, asked } = await emptyHost();
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");

  await ask("openai", host);

  expect(asked[0]?.request.headers["user-agent"]).toBe(`capstan/${version}`);
  expect((JSON.parse(manifest) as { readonly version: string }).version).toBe(version);
});
