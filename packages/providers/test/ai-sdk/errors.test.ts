import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { finish, iterate, modelThatSends, partsOf, text } from "./models.ts";

function apiCallError(fields: Partial<ConstructorParameters<typeof APICallError>[0]>): Error {
  const url = "https://api.example/v1/chat?key=secret";
  return new APICallError({ message: "It failed", url, requestBodyValues: {}, ...fields });
}

function modelThatThrows(thrown: unknown): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "mock.chat",
    doStream: async () => {
      throw thrown;
    },
  });
}

async function failureOf(model: MockLanguageModelV4): Promise<ProviderError> {
  const thrown = await partsOf(model).catch((failure: unknown) => failure);
  expect(thrown).toBeInstanceOf(ProviderError);
  return thrown as ProviderError;
}

const overflow = JSON.stringify({ error: { message: "prompt is too long: 9 tokens > 8 maximum" } });
const noMoney = JSON.stringify({ error: { code: "insufficient_quota", message: "Pay first" } });

test.each<[ProviderErrorCode, boolean, Parameters<typeof apiCallError>[0]]>([
  ["auth", false, { statusCode: 401 }],
  ["auth", false, { statusCode: 403 }],
  ["rate_limit", true, { statusCode: 429 }],
  ["auth", false, { statusCode: 429, responseBody: noMoney }],
  ["rate_limit", false, { statusCode: 429, isRetryable: false }],
  ["overloaded", true, { statusCode: 529 }],
  ["overloaded", true, { statusCode: 500 }],
  ["invalid_request", false, { statusCode: 400 }],
  ["context_overflow", false, { statusCode: 400, responseBody: overflow }],
  ["context_overflow", false, { statusCode: 400, message: "maximum context length is 8" }],
  ["network", true, { isRetryable: true }],
  ["network", true, { statusCode: 200, isRetryable: true }],
  ["protocol", false, { statusCode: 200 }],
])(
  "a failed call is %s, and another attempt helps: %s, for %j",
  async (code, retryable, fields) => {
    const failure = await failureOf(modelThatThrows(apiCallError(fields)));

    expect(failure).toMatchObject({ code, retryable });
  },
);

test("the message says what was tried and what the vendor said, and holds no secret", async () => {
  const refused = apiCallError({ statusCode: 400, responseBody: "No such field" });
  const unreachable = apiCallError({
    isRetryable: true,
    cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
  });

  expect((await failureOf(modelThatThrows(refused))).message).toBe(
    "mock.chat answered with status 400: No such field",
  );
  expect((await failureOf(modelThatThrows(unreachable))).message).toBe(
    "The request to https://api.example/v1/chat failed: connection refused. Check that the base URL is right and that the server is running (ECONNREFUSED)",
  );
});

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
  [{ "Retry-After": "2" }, 2_000],
  [{ "x-other": "1" }, undefined],
])("the headers %j ask to wait %s ms", async (responseHeaders, wanted) => {
  const failure = await failureOf(
    modelThatThrows(apiCallError({ statusCode: 429, responseHeaders })),
  );

  expect(failure).toMatchObject({ status: 429, retryAfterMs: wanted });
});

const noKey = new LoadAPIKeyError({ message: "The key is missing. Set MOCK_API_KEY" });

test.each<[ProviderErrorCode, boolean, unknown, string]>([
  ["auth", false, noKey, "mock.chat failed: The key is missing. Set MOCK_API_KEY"],
  [
    "invalid_request",
    false,
    new NoSuchModelError({ modelId: "m", modelType: "languageModel" }),
    "No such languageModel: m",
  ],
  ["network", true, new EmptyResponseBodyError(), "Empty response body"],
  [
    "protocol",
    false,
    new JSONParseError({ text: "{", cause: new Error("?") }),
    "JSON parsing failed",
  ],
  ["protocol", false, new InvalidResponseDataError({ data: 1 }), "Invalid response data"],
  [
    "protocol",
    false,
    new TypeValidationError({ value: 1, cause: new Error("?") }),
    "validation failed",
  ],
  ["network", true, new DOMException("Too slow", "TimeoutError"), "mock.chat failed: Too slow"],
  ["network", true, Object.assign(new Error("x"), { code: "ECONNRESET" }), "closed by the server"],
  [
    "protocol",
    false,
    new TypeError("x is not a function"),
    "mock.chat failed: x is not a function",
  ],
  ["protocol", false, "no reason", "mock.chat failed: no reason"],
  ["protocol", false, undefined, "mock.chat failed: undefined"],
  ["protocol", false, new Error(""), "gave no reason"],
])("%s, retryable: %s, is what a model throws as %j", async (code, retryable, thrown, said) => {
  const failure = await failureOf(modelThatThrows(thrown));

  expect(failure).toMatchObject({ code, retryable });
  expect(failure.cause).toBe(thrown);
  expect(failure.message).toContain(said);
});

test("an error that is one already passes as it is", async () => {
  const mine = new ProviderError("overloaded", "Later");

  expect(await failureOf(modelThatThrows(mine))).toBe(mine);
});

test.each<[ProviderErrorCode, boolean, string, unknown]>([
  ["overloaded", true, "Overloaded", { message: "Overloaded", statusCode: 529, data: {} }],
  ["rate_limit", false, "Enough", { message: "Enough", statusCode: 429, isRetryable: false }],
  ["rate_limit", true, "Slow down", { error: { type: "rate_limit_error", message: "Slow down" } }],
  ["context_overflow", false, "long", { message: "long", code: "context_length_exceeded" }],
  ["overloaded", true, "Odd", { message: "Odd" }],
  ["overloaded", true, "Bad gateway", { message: "Bad gateway", code: 502 }],
  ["overloaded", true, "It failed", apiCallError({ statusCode: 503 })],
  ["protocol", false, "Broken", new Error("Broken")],
])("an error in the stream is %s, retryable: %s (%s)", async (code, retryable, said, error) => {
  const failure = await failureOf(modelThatSends([...text("Once"), { type: "error", error }]));

  expect(failure).toMatchObject({ code, retryable });
  expect(failure.message).toContain(said);
});

test("what came before an error in the stream is handed out before it", async () => {
  const model = modelThatSends([...text("Once"), { type: "error", error: new Error("Broken") }]);
  const seen: string[] = [];

  const reading = (async () => {
    for await (const part of iterate(model)) seen.push(part.type);
  })();

  await expect(reading).rejects.toThrow("Broken");
  expect(seen).toEqual(["start", "text_start", "text_delta", "text_end"]);
});

test("a part whose type a model does not take is named, so that a session can go on without it", async () => {
  const functionality = "file part media type application/zip";
  const model = modelThatThrows(new UnsupportedFunctionalityError({ functionality }));
  const zip = { type: "document", mediaType: "application/zip", data: "AQID" } as const;
  const hello = { type: "text", text: "Look" } as const;

  const thrown = await partsOf(model, {
    messages: [
      { role: "user", id: "u1", content: "Hi" },
      { role: "user", id: "u2", content: [hello, zip] },
    ],
  }).catch((failure: unknown) => failure);

  expect(thrown).toMatchObject({
    code: "invalid_request",
    rejected: { messageId: "u2", part: 1 },
  });
});

test("a reply that ends at the token limit without a word is an overflow of the context", async () => {
  const failure = await failureOf(modelThatSends([finish("length")]));

  expect(failure).toMatchObject({ code: "context_overflow", retryable: false });
});
