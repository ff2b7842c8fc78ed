import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  answering,
  eventStream,
  readAll,
  recording,
  serve,
  sse,
  streamFrom,
} from "./test-vendor.ts";

const hello = sse({ text: "Hel" }, { text: "lo" }, { finish: "stop" });

test("a request goes out as the protocol writes it, with the headers of all who have some", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) => response.writeHead(200, eventStream).end(hello)),
  );

  const parts = streamFrom(
    `${baseUrl}/?api-version=2`,
    {
      options: { apiKey: "k", model: "m", headers: { "x-own": "request", "x-shared": "request" } },
    },
    { headers: { "x-shared": "options", "x-options": "yes" } },
  );
  const reply = await readAll(parts);

  expect(reply).toEqual({ said: "Hello", finish: "stop", error: undefined });
  expect(asked[0]?.request.url).toBe("/v1/reply?api-version=2&alt=sse");
  expect(asked[0]?.body).toBe('{"count":1}');
  expect(asked[0]?.request.headers).toMatchObject({
    authorization: "Bearer k",
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
    "x-version": "1",
    "x-options": "yes",
    "x-own": "request",
    "x-shared": "request",
  });
});

test("nothing is sent before the first part is asked for", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const baseUrl = await serve(
    recording(asked, (response) => response.writeHead(200, eventStream).end(hello)),
  );
  const unread = streamFrom(baseUrl);

  await unread.return?.();
  const afterReturn = await unread.next();
  await readAll(streamFrom(baseUrl));

  expect(afterReturn.done).toBe(true);
  expect(asked).toHaveLength(1);
});

test("parts come as soon as their event does, not when the reply ends", async () => {
  const ended = Promise.withResolvers<void>();
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, eventStream).write(sse({ text: "first" }));
    ended.promise.then(
      () => response.end(sse({ finish: "stop" })),
      () => {},
    );
  });
  const parts = streamFrom(baseUrl);

  const first = await parts.next();
  ended.resolve();
  const rest = await readAll(parts);

  expect(first.value).toEqual({ type: "text_delta", delta: "first" });
  expect(rest.finish).toBe("stop");
});

test("a reply that comes byte by byte, and with a character in two pieces, is the same", async () => {
  const bytes = Buffer.from(sse({ text: "für 5 €" }, { finish: "stop" }));
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, eventStream);
    for (const byte of bytes) response.write(Uint8Array.of(byte));
    response.end();
  });

  const { said, finish } = await readAll(streamFrom(baseUrl));

  expect([said, finish]).toEqual(["für 5 €", "stop"]);
});

test("a compressed reply is read like any other", async () => {
  const headers = { ...eventStream, "content-encoding": "gzip" };
  const baseUrl = await serve(answering(gzipSync(hello), 200, headers));

  const { said } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hello");
});

test.each([
  ["another content type", { "content-type": "text/plain" }],
  ["none", {}],
])("events are read as such under %s", async (_name, headers) => {
  const baseUrl = await serve(answering(hello, 200, headers));

  const { said } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("Hello");
});

test("a whole reply is read as such, though a stream was asked for", async () => {
  // Some send line breaks while the model thinks.
  const body = '\n\n[{ "text": "Hello" },\n\n{ "finish": "stop" }]';
  const headers = { "content-type": "application/json; charset=utf-8" };
  const baseUrl = await serve(answering(body, 200, headers));

  const { said, finish } = await readAll(streamFrom(baseUrl));

  expect([said, finish]).toEqual(["Hello", "stop"]);
});

test("a whole reply is read as such, though nobody says that it is one", async () => {
  const body = JSON.stringify([{ text: "Hello" }, { finish: "stop" }], undefined, 2);
  const baseUrl = await serve(answering(body, 200, {}));

  const { said, finish, error } = await readAll(streamFrom(baseUrl));

  expect([said, finish, error]).toEqual(["Hello", "stop", undefined]);
});

test("a whole reply can be asked for", async () => {
  const asked: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const body = JSON.stringify([{ text: "Hello" }, { finish: "stop" }]);
  const baseUrl = await serve(recording(asked, (response) => response.writeHead(200).end(body)));

  const { said } = await readAll(streamFrom(baseUrl, {}, { stream: false }));

  expect(said).toBe("Hello");
  expect(asked[0]?.request.headers.accept).toBe("application/json");
});

test("bytes that are no UTF-8 do not break a reply", async () => {
  const bytes = Buffer.concat([
    Buffer.from('data: {"text":"a'),
    Buffer.of(0xff, 0xc3),
    Buffer.from(`b"}\n\n${sse({ finish: "stop" })}`),
  ]);
  const baseUrl = await serve(answering(bytes));

  const { said } = await readAll(streamFrom(baseUrl));

  expect(said).toBe("a\ufffd\ufffdb");
});

test("a reply that was read to its finish leaves its connection for the next one", async () => {
  const sockets = new Set<unknown>();
  const left = Promise.withResolvers<void>();
  const baseUrl = await serve((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, eventStream).write(sse({ finish: "stop" }));
    left.promise.then(
      () => response.end("data: {}\n\n"),
      () => {},
    );
  });
  const drained = Promise.withResolvers<void>();
  const fetchAndWatch: typeof fetch = async (...call) => {
    const response = await fetch(...call);
    const watch = new TransformStream<Uint8Array, Uint8Array>({ flush: () => drained.resolve() });
    return new Response(response.body?.pipeThrough(watch) ?? null, response);
  };

  const first = streamFrom(baseUrl, {}, { fetch: fetchAndWatch });
  const finish = await first.next();
  await first.return?.();
  left.resolve();
  await drained.promise;
  // The connection is free when its last event has been handled.
  await setImmediate();
  await readAll(streamFrom(baseUrl));

  expect(finish.value).toEqual({ type: "finish", reason: "stop" });
  expect(sockets.size).toBe(1);
});
