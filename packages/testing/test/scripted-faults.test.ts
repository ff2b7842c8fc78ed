import { ProviderError } from "@capstan/kernel";
import type { ProviderPart } from "@capstan/kernel";
import {
  cutOff,
  failAfter,
  failBefore,
  hang,
  manualClock,
  reply,
  say,
  scriptedProvider,
  stall,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { requestWith } from "./request.ts";

function read(stream: AsyncIterable<ProviderPart>): AsyncIterator<ProviderPart> {
  return stream[Symbol.asyncIterator]();
}

const done = { done: true, value: undefined };

test("a failure before the first part is thrown by the iterator, not by the call", async () => {
  const provider = scriptedProvider([failBefore("overloaded")], { origin: { provider: "p" } });

  const stream = read(provider.stream(requestWith()));

  await expect(stream.next()).rejects.toMatchObject({ code: "overloaded", retryable: true });
  expect(await stream.next()).toEqual(done);
});

test("a failure in the middle comes after the parts, which stay open", async () => {
  const broken = new ProviderError("network", "connection reset");
  const provider = scriptedProvider([failAfter(say("Hel"), broken)]);

  const stream = read(provider.stream(requestWith()));

  expect((await stream.next()).value).toEqual({ type: "text_delta", delta: "Hel" });
  await expect(stream.next()).rejects.toBe(broken);
});

test("a stream that is cut off ends without a finish, whatever comes after it", async () => {
  const provider = scriptedProvider([reply(say("Hel"), cutOff(), say("lo"))]);

  const played = await Array.fromAsync(provider.stream(requestWith()));

  expect(played).toEqual([{ type: "text_delta", delta: "Hel" }]);
});

test("a stalled stream throws the signal's reason when the request is aborted", async () => {
  const provider = scriptedProvider([reply(say("a"), stall())]);
  const controller = new AbortController();
  const stream = read(provider.stream(requestWith({ signal: controller.signal })));
  await stream.next();
  const stalled = stream.next();
  await manualClock().advance(0);

  controller.abort(new Error("enough"));

  await expect(stalled).rejects.toThrow("enough");
  expect(provider.openStreams).toBe(0);
});

test("an abort without an error as its reason is an AbortError", async () => {
  const provider = scriptedProvider([stall()]);
  const controller = new AbortController();
  controller.abort("by the user");

  const stalled = read(provider.stream(requestWith({ signal: controller.signal }))).next();

  await expect(stalled).rejects.toMatchObject({ name: "AbortError" });
});

test("a stalled stream ends when its reader leaves", async () => {
  const provider = scriptedProvider([stall()]);
  const stream = read(provider.stream(requestWith()));
  const stalled = stream.next();
  expect(provider.openStreams).toBe(1);

  const left = await stream.return?.();

  expect(left).toEqual(done);
  expect(await stalled).toEqual(done);
  expect(provider.openStreams).toBe(0);
});

test("a reply that waits goes on when the test says so", async () => {
  const gate = Promise.withResolvers<void>();
  const provider = scriptedProvider([reply(say("a"), wait(gate.promise), say("b"))]);
  const stream = read(provider.stream(requestWith()));
  await stream.next();
  const seen: unknown[] = [];
  const next = stream.next().then((result) => seen.push(result.value));

  await manualClock().advance(0);
  expect(seen).toEqual([]);
  gate.resolve();
  await next;

  expect(seen).toEqual([{ type: "text_start" }]);
});

test("a reply that waits says nothing more once its reader has left", async () => {
  const provider = scriptedProvider([
    reply(
      wait(() => new Promise(() => {})),
      say("late"),
    ),
  ]);
  const stream = read(provider.stream(requestWith()));
  const waiting = stream.next();

  await stream.return?.();

  expect(await waiting).toEqual(done);
});

test("what a test waits for may fail, and the stream fails with it", async () => {
  const provider = scriptedProvider([wait(async () => Promise.reject(new Error("lost")))]);

  const stream = read(provider.stream(requestWith()));

  await expect(stream.next()).rejects.toThrow("lost");
});

test("a stream that hangs is deaf to the signal and to leaving", async () => {
  const provider = scriptedProvider([hang()]);
  const controller = new AbortController();
  const stream = read(provider.stream(requestWith({ signal: controller.signal })));
  const settled: string[] = [];
  const next = stream.next().finally(() => settled.push("next"));
  const left = stream.return?.().finally(() => settled.push("return"));

  controller.abort();
  await manualClock().advance(0);

  expect([next, left]).toHaveLength(2);
  expect(settled).toEqual([]);
  expect(provider.openStreams).toBe(1);
});
