import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProviderStreamOptions } from "@capstan/kernel";
import { complete } from "@capstan/providers/complete";
import { openai } from "@capstan/providers/openai";
import { describe, expect, test } from "vitest";
import { recording, serve } from "../transport/test-vendor.ts";
import { bodyFor } from "./requests.ts";

describe("a summary of the reasoning", () => {
  test.each(["minimal", "low", "high", "max"] as const)("is asked for with %s", (thinkingLevel) => {
    expect(bodyFor("gpt-5.5", { options: { thinkingLevel } }).reasoning?.summary).toBe("auto");
  });

  test("is not asked for with thinking off", () => {
    const options = { thinkingLevel: "off" } as const;

    expect(bodyFor("gpt-5.5", { options }).reasoning).toEqual({ effort: "none" });
    expect(bodyFor("gpt-5", { options }).reasoning).toEqual({ effort: "minimal" });
  });

  test("is not asked for if thinking was not, while the reasoning still comes back sealed", () => {
    const body = bodyFor("gpt-5.5", {});

    expect(body).not.toHaveProperty("reasoning");
    expect(body.include).toEqual(["reasoning.encrypted_content"]);
  });
});

interface Asked {
  readonly request: IncomingMessage;
  readonly body: string;
}

const forbidden = {
  error: {
    message: "Your organization must be verified to generate reasoning summaries.",
    type: "invalid_request_error",
    param: "reasoning.summary",
    code: "unsupported_value",
  },
};
const reply = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5.5",
  output: [
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hi", annotations: [] }],
    },
  ],
};

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A server of an organization that is not verified. */
async function unverified(
  asked: Asked[],
  { status, error }: { readonly status: number; readonly error: object } = {
    status: 400,
    ...forbidden,
  },
): Promise<string> {
  return serve(
    recording(asked, (response) => {
      const isForbidden = asked.at(-1)?.body.includes('"summary"') === true;
      send(response, isForbidden ? status : 200, isForbidden ? { error } : reply);
    }),
  );
}

function ask(
  baseUrl: string,
  apiKey: string,
  options: ProviderStreamOptions = {},
): Promise<string> {
  const { provider, id: model } = openai("gpt-5.5", { baseUrl, apiKey });
  return complete(provider, {
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    options: { model, thinkingLevel: "high", ...options },
  }).then(({ messages }) => JSON.stringify(messages[0]?.content));
}

function summariesIn(asked: readonly Asked[]): readonly unknown[] {
  return asked.map(({ body }) => (JSON.parse(body) as { reasoning?: unknown }).reasoning);
}

describe("a vendor that forbids the summary", () => {
  test("is asked again without it, and is not asked for it again", async () => {
    const asked: Asked[] = [];
    const url = await unverified(asked);

    const first = await ask(url, "key-one-of-a-test");
    const second = await ask(url, "key-one-of-a-test");

    expect(first).toContain("Hi");
    expect(second).toContain("Hi");
    expect(summariesIn(asked)).toEqual([
      { effort: "high", summary: "auto" },
      { effort: "high" },
      { effort: "high" },
    ]);
  });

  test("forbids it for the key that was used, not for others", async () => {
    const asked: Asked[] = [];
    const url = await unverified(asked);

    await ask(url, "key-one-of-a-test");
    await ask(url, "key-two-of-a-test");

    expect(summariesIn(asked)[2]).toEqual({ effort: "high", summary: "auto" });
  });

  test.each<[string, number, object]>([
    ["the name of the field", 400, { message: "Unsupported value", param: "reasoning.summary" }],
    ["its words", 400, { message: forbidden.error.message }],
    ["another status", 403, { message: forbidden.error.message }],
  ])("is known by %s", async (_, status, error) => {
    const asked: Asked[] = [];
    const url = await unverified(asked, { status, error });

    const text = await ask(url, "key-one-of-a-test");

    expect(text).toContain("Hi");
    expect(summariesIn(asked)).toEqual([{ effort: "high", summary: "auto" }, { effort: "high" }]);
  });

  test("is not meant by another status", async () => {
    const asked: Asked[] = [];
    const url = await unverified(asked, { status: 422, ...forbidden });

    await expect(ask(url, "key-one-of-a-test")).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toHaveLength(1);
  });

  test("is asked again only once", async () => {
    const asked: Asked[] = [];
    const url = await serve(recording(asked, (response) => send(response, 400, forbidden)));

    await expect(ask(url, "key-one-of-a-test")).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toHaveLength(2);
  });

  test("is told to a caller who asked for a summary of its own", async () => {
    const asked: Asked[] = [];
    const url = await unverified(asked);
    const providerOptions = { openai: { reasoning: { summary: "detailed" } } };

    await expect(ask(url, "key-one-of-a-test", { providerOptions })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("must be verified"),
    });
    expect(asked).toHaveLength(1);
  });

  test("is not asked again for another fault", async () => {
    const asked: Asked[] = [];
    const other = { error: { ...forbidden.error, param: "reasoning.effort", message: "No" } };
    const url = await serve(recording(asked, (response) => send(response, 400, other)));

    await expect(ask(url, "key-one-of-a-test")).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toHaveLength(1);
  });
});
