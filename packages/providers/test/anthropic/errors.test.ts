import type { JsonValue } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { decodeEvents, messageStart } from "./events.ts";
import { claudeTarget } from "./requests.ts";

const target = claudeTarget("claude-sonnet-4-5");

test.each([
  [400, "invalid_request_error", "invalid_request", false],
  [401, "authentication_error", "auth", false],
  [402, "billing_error", "auth", false],
  [403, "permission_error", "auth", false],
  [404, "not_found_error", "invalid_request", false],
  [413, "request_too_large", "context_overflow", false],
  [429, "rate_limit_error", "rate_limit", true],
  [500, "api_error", "overloaded", true],
  [504, "timeout_error", "overloaded", true],
  [529, "overloaded_error", "overloaded", true],
  [418, "teapot_error", "invalid_request", false],
  [503, "teapot_error", "overloaded", true],
])("status %i with %s is %s", (status, type, code, retryable) => {
  const error = toError(status, { error: { type, message: "No." } });

  expect(error).toMatchObject({ code, retryable, status });
});

test.each([
  "prompt is too long: 3333404 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
  "The request exceeds the model's context window",
])("%j means that the context is too long", (message) => {
  const error = toError(400, { error: { type: "invalid_request_error", message } });

  expect(error).toMatchObject({ code: "context_overflow", retryable: false });
});

test("the vendor's words, its name for the error and the id of the request are in the message", () => {
  const error = toError(400, {
    error: { type: "invalid_request_error", message: "tools.0: Field required" },
    request_id: "req_7",
  });

  expect(error.message).toBe(
    "anthropic answered with status 400: invalid_request_error: tools.0: Field required (request req_7)",
  );
});

test("the id of the request is also found in the headers, and so is how long to wait", () => {
  const headers = new Headers({ "request-id": "req_8", "retry-after": "7" });
  const body = { error: { type: "rate_limit_error", message: "Slow down" } };

  const error = anthropicMessages.toError({ status: 429, headers, body, text: "" }, target);

  expect(error.retryAfterMs).toBe(7000);
  expect(error.message).toContain("(request req_8)");
});

test("an answer that is no JSON is shown as it came", () => {
  const failure = { status: 502, body: undefined, text: "<h1>Bad gateway</h1>" };

  const error = anthropicMessages.toError(failure, target);

  expect(error).toMatchObject({ code: "overloaded", retryable: true });
  expect(error.message).toContain("Bad gateway");
});

test("an error in the middle of a stream is one of the vendor", () => {
  const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

  const decode = (): unknown => decodeEvents([messageStart(), event]);

  expect(decode).toThrow(ProviderError);
  expect(decode).toThrow("anthropic interrupted its reply: overloaded_error: Overloaded");
});

test.each([
  ["overloaded_error", "overloaded", true],
  ["rate_limit_error", "rate_limit", true],
  ["api_error", "overloaded", true],
  ["invalid_request_error", "invalid_request", false],
])("%s in the middle of a stream is %s", (type, code, retryable) => {
  const event = { type: "error", error: { type, message: "No." } };

  expect(() => decodeEvents([messageStart(), event])).toThrow(
    expect.objectContaining({ code, retryable }) as Error,
  );
});

test("an error that stands in a stream without being an event is found all the same", () => {
  const data = '{"error":{"type":"overloaded_error","message":"Overloaded"}}';
  const bare = { event: "message", data, id: "", isBare: true };
  const decoder = anthropicMessages.decoder(target);

  expect(() => decoder.take(bare, [])).toThrow(expect.objectContaining({ code: "overloaded" }));
});

function toError(status: number, body: JsonValue): ProviderError {
  return anthropicMessages.toError({ status, body, text: JSON.stringify(body) }, target);
}
