import type { ProviderErrorCode } from "@capstan/kernel";
import { expect, test } from "vitest";
import type { Target } from "../../src/wire/protocol.ts";
import { isContextOverflow } from "../../src/transport/context-overflow.ts";
import { codeOfStatus, toProviderError } from "../../src/transport/http-errors.ts";
import { parseRetryAfter } from "../../src/transport/retry-after.ts";

const target: Target = {
  origin: { provider: "test", api: "test-protocol", model: "m" },
  quirks: {},
  isStreaming: true,
};

test.each<[number, ProviderErrorCode]>([
  [400, "invalid_request"],
  [401, "auth"],
  [402, "auth"],
  [403, "auth"],
  [404, "invalid_request"],
  [408, "network"],
  [409, "overloaded"],
  [413, "invalid_request"],
  [422, "invalid_request"],
  [429, "rate_limit"],
  [498, "overloaded"],
  [499, "network"],
  [500, "overloaded"],
  [501, "invalid_request"],
  [502, "overloaded"],
  [503, "overloaded"],
  [504, "overloaded"],
  [524, "overloaded"],
  [529, "overloaded"],
  [600, "overloaded"],
  [100, "protocol"],
])("status %i means %s", (status, code) => {
  expect(codeOfStatus(status)).toBe(code);
});

test.each([
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000",
  '{"code":"context_length_exceeded"}',
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 428548",
  "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested 31284.",
  "prompt is too long: 213462 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Please reduce the length of the messages or completion.",
  "Input is too long for requested model.",
  "prompt token count of 145000 exceeds the limit of 128000",
  "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
  "Requested token count exceeds the model's maximum context length of 131072 tokens.",
  "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
  "The decoder prompt (length 8357) is longer than the maximum model length of 8192.",
  "the request exceeds the available context size, try increasing it",
  '{"error":{"type":"exceed_context_size_error","n_ctx":4096}}',
  "Context size has been exceeded.",
  "tokens to keep from the initial prompt is greater than the context length",
  "However, the model is loaded with context length of only 4096 tokens",
  "prompt too long; exceeded max context length by 4021 tokens",
  "Your request exceeded model token limit: 262144 (requested: 300000)",
  "invalid params, context window exceeds limit (2013)",
  '{"code":"1261","message":"Prompt exceeds max length"}',
  "Range of input length should be [1, 129024]",
  "Prompt contains 240000 tokens, too large for model with 131072 maximum context length",
  "<h1>413 Request Entity Too Large</h1>",
  "`inputs` tokens + `max_new_tokens` must be <= 4097",
])("an overflow of the context is recognised: %s", (said) => {
  expect(isContextOverflow(said)).toBe(true);
});

test.each([
  "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000",
  "Too many tokens, please wait before trying again.",
  "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens",
  "The image exceeds the maximum size of 5 MB",
  "messages.3.content.1.image.source: too long",
  "Overloaded",
  "",
])("what is no overflow is not taken for one: %s", (said) => {
  expect(isContextOverflow(said)).toBe(false);
});

test.each<[number, string, ProviderErrorCode]>([
  [400, "prompt is too long: 2 tokens > 1 maximum", "context_overflow"],
  [429, "Request too large for gpt-4o on tokens per min (TPM)", "context_overflow"],
  [500, "Context size has been exceeded.", "context_overflow"],
  [401, "maximum context length of your plan", "auth"],
])("an overflow is recognized despite status %i: %s", (status, text, code) => {
  expect(toProviderError({ status, text, body: undefined }, target).code).toBe(code);
});

test("what the protocol has read in the body comes before the status", () => {
  const failure = {
    status: 500,
    text: "{…}",
    body: {},
    headers: new Headers({ "retry-after": "9" }),
  };
  const rejected = { messageId: "m1", part: 0 };

  const error = toProviderError(failure, target, {
    message: "No\n  more",
    code: "content_filter",
    retryAfterMs: 5,
    rejected,
  });

  expect(error).toMatchObject({ code: "content_filter", status: 500, retryAfterMs: 5, rejected });
  expect(error.message).toBe("test answered with status 500: No more");
});

test("an error inside of a stream has no status, and may not happen again", () => {
  const error = toProviderError({ text: "", body: undefined }, target, { message: "Overloaded" });

  expect(error).toMatchObject({ code: "overloaded", status: undefined, retryable: true });
  expect(error.message).toBe("test interrupted its reply: Overloaded");
});

const now = Date.parse("2026-11-16T10:00:00Z");

test.each<[Record<string, string>, number | undefined]>([
  [{ "retry-after": "12" }, 12_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after-ms": "250.5" }, 250.5],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
  [{ "retry-after": "Mon, 16 Nov 2026 10:00:30 GMT" }, 30_000],
  [{ "retry-after": "Mon, 16 Nov 2026 09:00:00 GMT" }, 0],
  // A clock that is an hour off is measured by itself.
  [
    { "retry-after": "Mon, 16 Nov 2026 11:00:05 GMT", date: "Mon, 16 Nov 2026 11:00:00 GMT" },
    5_000,
  ],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{}, undefined],
])("%j asks to wait for %s ms", (headers, expected) => {
  expect(parseRetryAfter(new Headers(headers), now)).toBe(expected);
});

test("without headers there is no wait", () => {
  expect(parseRetryAfter(undefined)).toBeUndefined();
});
