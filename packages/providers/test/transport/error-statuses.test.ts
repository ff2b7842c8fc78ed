import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { answering, failureOf, requestWith, serve, streamFrom } from "./test-vendor.ts";

const json = { "content-type": "application/json" };

test("an error status becomes the error of the protocol, with what the vendor said", async () => {
  const baseUrl = await serve(answering('{"error":"No such model"}', 404, json));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "invalid_request", status: 404, retryable: false });
  expect(error.message).toBe(
    `test answered with status 404: {"error":"No such model"} (request to ${baseUrl}/reply)`,
  );
});

test("an error without a word says so", async () => {
  const baseUrl = await serve(answering("", 503));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "overloaded", status: 503, retryable: true });
  expect(error.message).toBe(
    `test answered with status 503 and an empty body (request to ${baseUrl}/reply)`,
  );
});

test("a wait that the vendor asks for is told", async () => {
  const baseUrl = await serve(answering("slow down", 429, { "retry-after": "7" }));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "rate_limit", retryable: true, retryAfterMs: 7_000 });
});

test("an error that goes on forever is read no further than its beginning", async () => {
  const left = Promise.withResolvers<void>();
  const flood = (response: ServerResponse): void => {
    while (!response.destroyed && response.write("no ".repeat(10_000)));
    response.once("drain", () => flood(response));
  };
  const baseUrl = await serve((_request, response) => {
    response.once("close", () => left.resolve());
    flood(response.writeHead(500));
  });

  const error = await failureOf(streamFrom(baseUrl));
  await left.promise;

  expect(error).toMatchObject({ code: "overloaded", status: 500 });
  expect(error.message).toMatch(/^test answered with status 500: [no ]{500}… \(request to \S+\)$/);
});

test("an error whose connection breaks is told as far as it came", async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(400, { "content-length": "100" });
    response.write("The model is", () => response.destroy());
  });

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "invalid_request", status: 400 });
  expect(error.message).toContain("The model is");
});

test.each([301, 302, 307, 308])(
  "a redirect with %i is not followed, and says where to go",
  async (status) => {
    const elsewhere = await serve(answering("never", 200));
    const baseUrl = await serve(
      answering("", status, { location: `${elsewhere}/reply?token=abc` }),
    );

    const error = await failureOf(streamFrom(baseUrl));

    expect(error).toMatchObject({ code: "invalid_request", retryable: false });
    expect(error.message).toContain(
      `to ${elsewhere}/reply, and redirects are not followed: set the base URL`,
    );
    expect(error.message).not.toContain("abc");
  },
);

test("an error that names a place in the request tells which part it is", async () => {
  const body = JSON.stringify({ error: { message: "messages[0]: image is broken" } });
  const baseUrl = await serve(answering(body, 400, json));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error.rejected).toEqual({ messageId: "m1", part: 0 });
  expect(error).toMatchObject({ code: "invalid_request", status: 400 });
});

test("an overflow of the context is told apart from other wrong requests", async () => {
  const body = "prompt is too long: 3333404 tokens > 200000 maximum";
  const baseUrl = await serve(answering(body, 400));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "context_overflow", retryable: false, status: 400 });
});

test("a secret that is cut off with a long message does not show its beginning", async () => {
  const baseUrl = await serve(answering(`${"x".repeat(495)}sk-0123456789`, 401));

  const error = await failureOf(
    streamFrom(baseUrl, { options: { model: "m", apiKey: "sk-0123456789" } }),
  );

  expect(error.message).toMatch(/x{495}\[hidd… \(request to \S+\)$/);
});

test("a vendor that repeats a secret does not make us show it", async () => {
  const secret = "sk-0123456789";
  const token = "Basic dXNlcjpwYXNzd29yZA==";
  const encoded = `${btoa(secret)}, ${btoa(`${secret}:x`)}`;
  const repeats = `Wrong key ${secret} or ${token.slice(6)} for version 1, in Base64 ${encoded}`;
  const [inAnError, inAStream] = await Promise.all([
    serve(answering(repeats, 401)),
    serve(answering(`data: ${JSON.stringify({ error: repeats })}\n\n`)),
  ]);
  const { options } = requestWith({
    options: { model: "m", apiKey: secret, headers: { "proxy-authorization": token } },
  });

  const errors = await Promise.all(
    [inAnError, inAStream].map((baseUrl) => failureOf(streamFrom(baseUrl, { options }))),
  );

  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("Wrong key [hidden] or [hidden] for version 1"),
    expect.stringContaining("Wrong key [hidden] or [hidden] for version 1"),
  ]);
  const shown = errors.map(({ message }) => message).join("");
  expect(shown).not.toContain(btoa(secret).slice(0, 16));
});
