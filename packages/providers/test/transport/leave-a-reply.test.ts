import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { eventStream, serve, sse, streamFrom } from "./test-vendor.ts";

/** A server that says what it is given and then nothing, and tells when its client has left. */
async function silentServer(begin: (response: ServerResponse) => void): Promise<{
  readonly baseUrl: string;
  readonly asked: Promise<void>;
  readonly left: Promise<void>;
}> {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const baseUrl = await serve((_request, response) => {
    response.once("close", () => left.resolve());
    begin(response);
    asked.resolve();
  });
  return { baseUrl, asked: asked.promise, left: left.promise };
}

const answersNothing = (): void => {};
const saysOneThing = (response: ServerResponse): void => {
  response.writeHead(200, eventStream).write(sse({ text: "Hi" }));
};

test("an abort ends a request that nobody has answered, with the reason of the abort", async () => {
  const { baseUrl, asked, left } = await silentServer(answersNothing);
  const controller = new AbortController();
  const reason = new Error("enough");

  const next = streamFrom(baseUrl, { signal: controller.signal }).next();
  await asked;
  controller.abort(reason);

  await expect(next).rejects.toBe(reason);
  await left;
});

test("an abort ends a reply under way, with the reason of the abort", async () => {
  const { baseUrl, left } = await silentServer(saysOneThing);
  const controller = new AbortController();
  const parts = streamFrom(baseUrl, { signal: controller.signal });

  await parts.next();
  const next = parts.next();
  controller.abort();

  await expect(next).rejects.toMatchObject({ name: "AbortError" });
  await left;
});

test.each([
  ["a whole reply", 200],
  ["the text of an error", 400],
])("an abort ends the wait for %s", async (_name, status) => {
  const { baseUrl, asked, left } = await silentServer((response) => {
    response.writeHead(status, { "content-type": "application/json" }).write("[{");
  });
  const controller = new AbortController();

  const next = streamFrom(baseUrl, { signal: controller.signal }).next();
  await asked;
  controller.abort();

  await expect(next).rejects.toMatchObject({ name: "AbortError" });
  await left;
});

test("a signal that has fired before sends nothing", async () => {
  const parts = streamFrom("http://127.0.0.1:9/v1", { signal: AbortSignal.abort("no") });

  await expect(parts.next()).rejects.toBe("no");
});

test("to return ends a reply under way at once", async () => {
  const { baseUrl, left } = await silentServer(saysOneThing);
  const parts = streamFrom(baseUrl);

  await parts.next();
  await parts.return?.();
  const next = await parts.next();

  await left;
  expect(next.done).toBe(true);
});

test("to return ends a request that nobody has answered, and the wait for its first part", async () => {
  const { baseUrl, asked, left } = await silentServer(answersNothing);
  const parts = streamFrom(baseUrl);

  const waiting = parts.next();
  await asked;
  await parts.return?.();

  await left;
  await expect(waiting).resolves.toEqual({ value: undefined, done: true });
});

test("a signal that fires after the end has no listener left", async () => {
  const baseUrl = await serve((_request, response) => {
    response.writeHead(200, eventStream).end(sse({ finish: "stop" }));
  });
  const controller = new AbortController();
  const listening: string[] = [];
  const signal = new Proxy(controller.signal, {
    get(target, name) {
      if (name === "addEventListener" || name === "removeEventListener") listening.push(name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const parts = streamFrom(baseUrl, { signal });

  await parts.next();
  await parts.next();

  expect(listening).toEqual(["addEventListener", "removeEventListener"]);
});

test("a reply that has finished does not wait for a body that goes on", async () => {
  const { baseUrl, left } = await silentServer((response) => {
    response.writeHead(200, eventStream).write(sse({ finish: "stop" }));
  });
  const parts = streamFrom(baseUrl);

  const finish = await parts.next();
  const returned = await parts.return?.();
  await left;

  expect(finish.value).toEqual({ type: "finish", reason: "stop" });
  expect(returned?.done).toBe(true);
});
