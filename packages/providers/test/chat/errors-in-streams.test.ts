import type { JsonValue, ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { createProvider } from "../../src/transport/create-provider.ts";
import { requestOf } from "../request-of.ts";
import { answering, serve, sse } from "../transport/test-vendor.ts";
import { anyServer } from "./requests.ts";

/** Errors that servers send after HTTP 200. */
const failures: readonly [string, JsonValue, ProviderErrorCode, number | undefined][] = [
  ["a number as the code", { error: { code: 502, message: "Bad gateway" } }, "overloaded", 502],
  ["a number in words", { error: { code: "429", message: "Slow" } }, "rate_limit", 429],
  ["a number for the key", { error: { code: 401, message: "User not found" } }, "auth", 401],
  ["a number for credits", { error: { code: 402, message: "Add more" } }, "auth", 402],
  ["a failure of no known kind", { error: { message: "Oops" } }, "overloaded", undefined],
  ["words alone", { error: "Oops" }, "overloaded", undefined],
  ["a number that is no status", { error: { code: 1234, message: "?" } }, "overloaded", undefined],
  [
    "Mistral's object",
    { object: "error", message: "Service unavailable", type: "unreachable_backend", code: "1100" },
    "overloaded",
    undefined,
  ],
  [
    "Mistral's rate limit",
    {
      object: "error",
      message: "Rate limit exceeded",
      type: "rate_limited",
      code: "1300",
      raw_status_code: 429,
    },
    "rate_limit",
    429,
  ],
  [
    "words that a router's host flagged",
    { error: { code: 403, message: "Flagged", metadata: { reasons: ["x"], flagged_input: "…" } } },
    "content_filter",
    403,
  ],
  [
    "an error of the choice",
    { choices: [{ error: { code: 503, message: "No host" }, finish_reason: "error" }] },
    "overloaded",
    503,
  ],
  [
    "an error of a choice that does not say why it stopped",
    { choices: [{ delta: {}, error: { code: 503, message: "No host" }, finish_reason: null }] },
    "overloaded",
    503,
  ],
  [
    "an error as the reason to stop",
    { choices: [{ delta: {}, finish_reason: "error" }] },
    "overloaded",
    undefined,
  ],
];

describe.each([true, false])("with streams: %s", (isStreaming) => {
  test.each(failures)("%s is an error", async (_, failure, code, status) => {
    const error = await failureOf(failure, isStreaming);

    const retryable = code === "overloaded" || code === "rate_limit";
    expect(error).toMatchObject({ code, status, retryable });
  });
});

test("an event that calls itself an error is one, whatever is in it", async () => {
  const body = `${sse({ choices: [{ delta: { content: "Well" } }] })}event: error\n${sse({ message: "Oops", code: 429 })}`;
  const provider = createProvider(anyServer, { baseUrl: await serve(answering(body)) });

  const reading = Array.fromAsync(provider.stream(requestOf({ options: { model: "m" } })));

  await expect(reading).rejects.toMatchObject({ code: "rate_limit", status: 429 });
});

test("what a router's host has said is told", async () => {
  const error = await failureOf({
    error: {
      code: 502,
      message: "Provider returned error",
      metadata: { provider_name: "Chutes", raw: '{"detail":"No instances available"}' },
    },
  });

  expect(error.message).toContain("Provider returned error");
  expect(error.message).toContain("Chutes");
  expect(error.message).toContain("No instances available");
});

test("an overflow that only a router's host tells is one", async () => {
  const raw = { error: { message: "This model's maximum context length is 8192 tokens" } };

  const error = await failureOf({
    error: { code: 400, message: "Provider returned error", metadata: { raw } },
  });

  expect(error).toMatchObject({ code: "context_overflow", retryable: false });
});

async function failureOf(failure: JsonValue, isStreaming = true): Promise<ProviderError> {
  const started = { id: "1", choices: [{ delta: { content: "Well" } }] };
  const body = isStreaming
    ? answering(sse(started, failure))
    : answering(JSON.stringify(failure), 200, { "content-type": "application/json" });
  const provider = createProvider(anyServer, { baseUrl: await serve(body), stream: isStreaming });
  try {
    await Array.fromAsync(provider.stream(requestOf({ options: { model: "m" } })));
  } catch (thrown) {
    if (thrown instanceof ProviderError) return thrown;
    throw thrown;
  }
  throw new Error("It should have failed");
}
