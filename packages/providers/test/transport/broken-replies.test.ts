import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { ProviderError } from "@capstan/kernel";
import { expect, onTestFinished, test } from "vitest";
import {
  answering,
  eventStream,
  failureOf,
  readAll,
  serve,
  sse,
  streamFrom,
} from "./test-vendor.ts";

test("a stream that ends before its finish is a network error, after the parts that arrived", async () => {
  const baseUrl = await serve(answering(`${sse({ text: "Hel" })}data: {"te`));

  const { said, error } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hel");
  expect(error).toMatchObject({ code: "network", retryable: true });
});

test("a connection that breaks inside a chunk is a network error, after the parts that arrived", async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, eventStream);
    response.write(`${sse({ text: "Hel" })}data: {"te`, () => response.destroy());
  });

  const { said, error } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hel");
  expect(error).toMatchObject({ code: "network", retryable: true });
  expect(String(error)).toMatch(/Reading the reply from http:.*\/v1\/reply failed/);
});

test("a connection that breaks inside of a whole reply is a network error", async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "50" });
    response.write("[{", () => response.destroy());
  });

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "network", retryable: true });
});

test("an error in the middle of a chunk comes after the parts before it", async () => {
  const body = sse({ text: "Hel" }, { text: "lo" }, { error: "Overloaded" }, { text: "never" });
  const baseUrl = await serve(answering(body));
  const parts = streamFrom(baseUrl);

  const { said, error } = await readAll(parts);
  const afterwards = await parts.next();

  expect(said).toBe("Hello");
  expect(String(error)).toContain("Overloaded");
  expect(afterwards.done).toBe(true);
});

test("JSON after a stream that began well is an error", async () => {
  const body = `${sse({ text: "Hi" }, { finish: "stop" })}{\n "error": { "code": 499 }\n}\n`;
  const baseUrl = await serve(answering(body));

  const { said, error } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hi");
  expect(error).toBeInstanceOf(ProviderError);
});

test("an event that the protocol cannot read is a protocol error that says so", async () => {
  const baseUrl = await serve(answering("data: not json\n\n"));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "protocol", retryable: false });
  expect(error.message).toMatch(/^A reply of Test Vendor could not be decoded as test-protocol/);
  expect(error.cause).toBeInstanceOf(SyntaxError);
});

test.each([
  [
    "a page",
    "<!doctype html><title>Welcome</title>",
    "text/html",
    /text\/html.*base URL.*Welcome/s,
  ],
  ["a text", "It works!", "text/plain", /text\/plain.*It works!/s],
  ["JSON that is none", "It works!", "application/json", /application\/json.*It works!/s],
])("%s instead of a reply is a protocol error that shows it", async (_name, body, type, shown) => {
  const baseUrl = await serve(answering(body, 200, { "content-type": type }));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "protocol", retryable: false, status: 200 });
  expect(error.message).toMatch(shown);
});

test("a page is no stream of events, whatever is in it", async () => {
  const page = '<!doctype html>\n<script>\n{\n\ndata: {"text":"Hi"}\n\n</script>';
  const baseUrl = await serve(answering(page, 200, { "content-type": "text/html" }));

  const { said, error } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("");
  expect(String(error)).toContain("not a model's reply (text/html)");
});

test.each([
  ["a stream", "", eventStream],
  ["comments only", ": hello\n\n", eventStream],
  ["a JSON body", "", { "content-type": "application/json" }],
])("an answer with nothing in it may be asked for again: %s", async (_name, body, headers) => {
  const baseUrl = await serve(answering(body, 200, headers));

  const error = await failureOf(streamFrom(baseUrl));

  expect(error).toMatchObject({ code: "network", retryable: true });
});

test("a server that is not there is a network error that says what to check", async () => {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();

  const error = await failureOf(streamFrom(`http://127.0.0.1:${port}/v1`));

  expect(error).toMatchObject({ code: "network", retryable: true });
  expect(error.message).toBe(
    `The request to http://127.0.0.1:${port}/v1/reply failed: connection refused. Check that the base URL is right and that the server is running (ECONNREFUSED)`,
  );
});

test("a host that does not exist is a network error that says what to check", async () => {
  const error = await failureOf(streamFrom("http://no-such-host.invalid/v1"));

  expect(error).toMatchObject({ code: "network" });
  expect(error.message).toMatch(/unknown host|could not be resolved/);
});

test("a connection that is closed without an answer is a network error", async () => {
  const server = createTcpServer((socket) => socket.on("data", () => socket.resetAndDestroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const error = await failureOf(streamFrom(`http://127.0.0.1:${port}`));

  expect(error).toMatchObject({ code: "network", retryable: true });
  expect(error.message).toMatch(/closed by the server \((ECONNRESET|UND_ERR_SOCKET)\)/);
});

test("an event without end is given up, after the parts that arrived", async () => {
  const flood = (response: ServerResponse): void => {
    while (!response.destroyed && response.write("data: ".padEnd(1_000_000, "x")));
    response.once("drain", () => flood(response));
  };
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, eventStream).write(sse({ text: "Hi" }));
    flood(response);
  });

  const { said, error } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hi");
  expect(error).toMatchObject({ code: "protocol", retryable: false });
}, 20_000);
