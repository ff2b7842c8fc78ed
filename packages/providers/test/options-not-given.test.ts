import { complete } from "@capstan/providers/complete";
import { anthropic } from "@capstan/providers/anthropic";
import { openaiCompatible } from "@capstan/providers/openai-compatible";
import { expect, test, vi } from "vitest";

const request = {
  messages: [{ role: "user", id: "u1", content: "Hello" }],
  options: { model: "some-model" },
} as const;

/** A fetch that records the headers of the last request and refuses it. */
function recordingFetch(): { readonly fetch: typeof fetch; headers: Headers } {
  const recorded = {
    headers: new Headers(),
    async fetch(_url: unknown, init?: RequestInit): Promise<Response> {
      recorded.headers = new Headers(init?.headers);
      return new Response("{}", { status: 400 });
    },
  };
  return recorded;
}

test("an option that is undefined is not given: the variable of the vendor is used", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "key-of-the-environment");
  const recorded = recordingFetch();
  const { fetch } = recorded;

  const { provider } = anthropic("some-model", { apiKey: undefined, baseUrl: undefined, fetch });
  await expect(complete(provider, request)).rejects.toThrow();

  expect(recorded.headers.get("x-api-key")).toBe("key-of-the-environment");
  vi.unstubAllEnvs();
});

test("an undefined option of a model leaves the one of its server as it is", async () => {
  const recorded = recordingFetch();
  const { fetch } = recorded;
  const house = openaiCompatible({ baseUrl: "http://house.test/v1" }, { apiKey: "house", fetch });

  const { provider } = house("some-model", { apiKey: undefined, fetch: undefined });
  await expect(complete(provider, request)).rejects.toThrow();

  expect(recorded.headers.get("authorization")).toBe("Bearer house");
});
