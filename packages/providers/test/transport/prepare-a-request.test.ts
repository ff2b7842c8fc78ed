import type { IncomingMessage } from "node:http";
import { beforeEach, expect, test, vi } from "vitest";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import { createProvider } from "../../src/transport/create-provider.ts";
import type { Vendor } from "../../src/wire/vendor.ts";
import {
  eventStream,
  failureOf,
  readAll,
  recording,
  requestWith,
  serve,
  sse,
  streamFrom,
  vendor,
} from "./test-vendor.ts";

beforeEach(() => {
  vi.stubEnv("CAPSTAN_TEST_KEY", undefined);
  return () => vi.unstubAllEnvs();
});

/** The headers of a request that was sent. */
async function headersOf(
  of: Vendor,
  keys: { readonly request?: string; readonly options?: string; readonly variable?: string },
): Promise<IncomingMessage["headers"]> {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) =>
      response.writeHead(200, eventStream).end(sse({ finish: "stop" })),
    ),
  );
  vi.stubEnv("CAPSTAN_TEST_KEY", keys.variable);
  const provider = createProvider(of, {
    baseUrl,
    ...(keys.options !== undefined && { apiKey: keys.options }),
  });
  const options = {
    model: "m",
    ...(keys.request !== undefined && { apiKey: keys.request }),
  };
  const { error } = await readAll(
    provider.stream({ ...requestWith(), options })[Symbol.asyncIterator](),
  );
  expect(error).toBeUndefined();
  return asked[0]?.request.headers ?? {};
}

function streamWithoutKey(apiKey?: string): ReturnType<typeof streamFrom> {
  const options = { model: "m", ...(apiKey !== undefined && { apiKey }) };
  const provider = createProvider(vendor);
  return provider.stream({ ...requestWith(), options })[Symbol.asyncIterator]();
}

test.each([
  ["that of the request", { request: "k1", options: "k2", variable: "k3" }, "Bearer k1"],
  ["that of the provider's options", { options: "k2", variable: "k3" }, "Bearer k2"],
  ["the vendor's variable", { variable: "k3" }, "Bearer k3"],
  ["a variable with a trailing line break", { variable: " k3\n" }, "Bearer k3"],
])("the key is %s", async (_name, keys, expected) => {
  const headers = await headersOf(vendor, keys);

  expect(headers.authorization).toBe(expected);
});

test("a key goes into the header that the vendor has for it", async () => {
  const headers = await headersOf(
    { ...vendor, quirks: { keyHeader: "x-api-key" } },
    { request: "k" },
  );

  expect(headers["x-api-key"]).toBe("k");
  expect(headers.authorization).toBeUndefined();
});

test("a server that needs no key gets none, unless there is one", async () => {
  const local: Vendor = { ...vendor, keyVariable: undefined };

  const [without, given] = [await headersOf(local, {}), await headersOf(local, { options: "k" })];

  expect(without.authorization).toBeUndefined();
  expect(given.authorization).toBe("Bearer k");
});

test("who brings a header for the key needs no key", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) =>
      response.writeHead(200, eventStream).end(sse({ finish: "stop" })),
    ),
  );
  const provider = createProvider(vendor, { baseUrl, headers: { Authorization: "Bearer own" } });
  const request = { ...requestWith(), options: { model: "m" } };

  await readAll(provider.stream(request)[Symbol.asyncIterator]());

  expect(asked[0]?.request.headers.authorization).toBe("Bearer own");
});

test("a missing key is an auth error that names the variable", async () => {
  const error = await failureOf(streamWithoutKey());

  expect(error).toMatchObject({ code: "auth", retryable: false });
  expect(error.message).toBe("No API key for Test Vendor: set CAPSTAN_TEST_KEY, or pass `apiKey`");
});

test("an empty key is a missing one", async () => {
  const error = await failureOf(streamWithoutKey(" "));

  expect(error.message).toContain("set CAPSTAN_TEST_KEY");
});

test.each(["sk-secret\nsk-other", "sk-secret other", "sk-sécret"])(
  "a key that cannot be one is an auth error that does not show it: %j",
  async (apiKey) => {
    const error = await failureOf(streamWithoutKey(apiKey));

    expect(error).toMatchObject({ code: "auth", retryable: false });
    expect(error.message).toContain("for Test Vendor in `apiKey`");
    expect(error.message).not.toContain("cret");
  },
);

test("a header that cannot be sent is named, and its value is not", async () => {
  const parts = streamFrom("http://127.0.0.1:9/v1", {}, { headers: { "x-trace": "se\ncret" } });

  const error = await failureOf(parts);

  expect(error).toMatchObject({ code: "invalid_request", retryable: false });
  expect(error.message).toContain('"x-trace" for Test Vendor');
  expect(error.message).not.toContain("cret");
});

test.each([
  ["ftp://127.0.0.1/v1", "is not an http or https URL"],
  ["api.example.com/v1", "is not an http or https URL"],
  ["https://user:secret@example.com/v1", "contains a user or a password"],
])("a base URL that cannot be one says why: %s", async (baseUrl, why) => {
  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "invalid_request", retryable: false });
  expect(error.message).toContain(why);
  expect(error.message).not.toContain("secret");
});

test("a request without a model is refused", async () => {
  const provider = createProvider(vendor, { apiKey: "k" });
  const parts = provider.stream({ ...requestWith(), options: {} })[Symbol.asyncIterator]();

  const error = await failureOf(parts);

  expect(error).toMatchObject({ code: "invalid_request", retryable: false });
  expect(error.message).toContain("No model for Test Vendor");
});

test("media limits of the vendor are those of the provider", () => {
  const media = {
    imageTypes: ["image/png"],
    documentTypes: [],
    maxImageBytes: 1,
    maxImagePixels: 1,
    maxDocumentBytes: 1,
  };

  expect(createProvider({ ...vendor, media }).media).toBe(media);
  expect(createProvider(vendor)).not.toHaveProperty("media");
});

test("list headers have the caller's values after the protocol's, and other headers are replaced", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) =>
      response.writeHead(200, eventStream).end(sse({ finish: "stop" })),
    ),
  );
  const of: Vendor = {
    ...vendor,
    headers: { "x-beta": "a", "x-one": "a" },
    quirks: { listHeader: "x-beta" },
  };
  const headers = { "X-Beta": "b", "x-one": "b" };

  const provider = createProvider(of, { baseUrl, apiKey: "k", headers });
  await readAll(provider.stream(requestWith())[Symbol.asyncIterator]());

  expect(asked[0]?.request.headers).toMatchObject({ "x-beta": "a,b", "x-one": "b" });
});

test("half of a character does not make a body that vendors refuse", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) =>
      response.writeHead(200, eventStream).end(sse({ finish: "stop" })),
    ),
  );
  const messages = [{ role: "user", id: "u", content: "cut \ud83d, whole 😀" }] as const;

  const provider = createProvider({ ...vendor, protocol: openAiChat }, { baseUrl, apiKey: "k" });
  await readAll(provider.stream({ ...requestWith(), messages })[Symbol.asyncIterator]());

  expect(asked[0]?.body).toContain("cut \ufffd, whole 😀");
});

test("a server that is different for each customer is found by its variable, or the error asks for it", async () => {
  const of: Vendor = { ...vendor, baseUrl: "", baseUrlVariable: "CAPSTAN_TEST_URL" };
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) =>
      response.writeHead(200, eventStream).end(sse({ finish: "stop" })),
    ),
  );
  const stream = () => createProvider(of, { apiKey: "k" }).stream(requestWith());

  const missing = await failureOf(stream()[Symbol.asyncIterator]());
  vi.stubEnv("CAPSTAN_TEST_URL", baseUrl);
  const found = await readAll(stream()[Symbol.asyncIterator]());

  expect(missing.message).toContain("CAPSTAN_TEST_URL");
  expect(found.error).toBeUndefined();
});
