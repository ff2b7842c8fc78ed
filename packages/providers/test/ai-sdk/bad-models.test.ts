/** Models that do what no model should. */
import type { LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { ProviderError } from "@capstan/kernel";
import { runToEnd } from "@capstan/testing";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import type { AiSdkModel } from "../../src/ai-sdk.ts";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import { finish, iterate, modelThatSends, partsOf, requestOf, text } from "./models.ts";

/** A stream that gives these and then nothing, and what became of it. */
function stallingModel(...sent: readonly unknown[]) {
  const cancelled = Promise.withResolvers<unknown>();
  const stream = new ReadableStream<unknown>({
    start: (controller) => sent.forEach((part) => controller.enqueue(part)),
    cancel: cancelled.resolve,
  });
  // Any parts a test wants.
  const doStream = { stream } as unknown as LanguageModelV4StreamResult;
  const model = new MockLanguageModelV4({ provider: "mock.chat", modelId: "m-1", doStream });
  return { model, cancelled: cancelled.promise };
}

test.each([
  ["a text", "Hello"],
  ["nothing", undefined],
  ["null", null],
  ["a list", []],
  ["a delta without a text", { type: "text-delta", id: "t" }],
  ["a delta that is a number", { type: "reasoning-delta", id: "r", delta: 1 }],
  ["a call without a name", { type: "tool-call", toolCallId: "c", input: "{}" }],
  ["a call without an id", { type: "tool-call", toolName: "echo", input: "{}" }],
  ["a piece of a call without an id", { type: "tool-input-delta", delta: "{" }],
  ["a file without data", { type: "file", mediaType: "image/png" }],
  ["a finish without a reason", { type: "finish" }],
])("%s in place of a part is an error that says so", async (_, garbage) => {
  const failure = await partsOf(modelThatSends([...text("Hi"), garbage, finish()])).catch(
    (thrown: unknown) => thrown,
  );

  expect(failure).toBeInstanceOf(ProviderError);
  expect(failure).toMatchObject({
    code: "protocol",
    message: expect.stringMatching(
      /^The model sent a (".*" )?part.* so its reply cannot be decoded/,
    ) as string,
  });
});

test.each([
  ["nothing at all", []],
  ["half a reply", text("Once upon")],
  ["a reply that it calls interrupted", [...text("Once upon"), finish("interrupted")]],
])("a stream that ends after %s was cut off: another attempt helps", async (_, sent) => {
  await expect(partsOf(modelThatSends(sent))).rejects.toMatchObject({
    code: "network",
    retryable: true,
  });
});

test("what a reply has cost that failed at its end is counted", async () => {
  const usage = {
    inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = modelThatSends([...text("Once"), finish("error", { usage })]);

  const turn = await runToEnd({ provider: fromAiSdk(model).provider });

  expect(turn.error?.message).toBe("mock.chat failed to finish its reply and gave no reason");
  expect(turn.usage).toMatchObject({ inputTokens: 9 });
});

test("everything after the finish is ignored", async () => {
  const late = { type: "error", error: new Error("Too late") };

  const parts = await partsOf(modelThatSends([...text("Hi"), finish(), late]));

  expect(parts.at(-1)).toMatchObject({ type: "finish" });
});

const named = { specificationVersion: "v4", provider: "mock.chat", modelId: "m-1" };

test.each([
  [
    "throws at once",
    () => {
      throw new Error("Not today");
    },
    "Not today",
  ],
  ["gives no stream", () => Promise.resolve({}), "it has no stream"],
  ["gives nothing", () => Promise.resolve(undefined), "it has no stream"],
  ["gives a stream that is in use", () => Promise.resolve({ stream: lockedStream() }), "locked"],
])("a model that %s fails the attempt and nothing else", async (_, doStream, said) => {
  const model = { ...named, doStream } as unknown as AiSdkModel;

  const turn = await runToEnd({ provider: fromAiSdk(model).provider });

  expect(turn.finishReason).toBe("error");
  expect(turn.error).toMatchObject({ name: "ProviderError", code: "protocol" });
  expect(turn.error?.message).toContain(said);
});

function lockedStream(): ReadableStream {
  const stream = new ReadableStream();
  stream.getReader();
  return stream;
}

test("an abort ends a reply that does not, and tells the model", async () => {
  const { model, cancelled } = stallingModel(...text("Once").slice(0, 2));
  const controller = new AbortController();
  const parts = iterate(model, { signal: controller.signal })[Symbol.asyncIterator]();
  await parts.next();
  await parts.next();
  await parts.next();

  const waiting = parts.next();
  controller.abort(new Error("Enough"));

  await expect(waiting).rejects.toThrow("Enough");
  expect(await cancelled).toEqual(new Error("Enough"));
  expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true);
});

test("an abort ends the wait for a model that does not answer and does not listen", async () => {
  const never = new MockLanguageModelV4({ doStream: () => new Promise(() => {}) });
  const controller = new AbortController();
  const parts = iterate(never, { signal: controller.signal })[Symbol.asyncIterator]();

  const waiting = parts.next();
  controller.abort(new Error("Enough"));

  await expect(waiting).rejects.toThrow("Enough");
});

test("nothing is asked once the signal has fired, and nothing before the first part is wanted", async () => {
  const model = modelThatSends([finish()]);
  iterate(model);

  await expect(partsOf(model, { signal: AbortSignal.abort(new Error("Gone")) })).rejects.toThrow(
    "Gone",
  );

  expect(model.doStreamCalls).toEqual([]);
});

test("who leaves while a part is waited for leaves at once, and the model is told", async () => {
  const { model, cancelled } = stallingModel();
  const parts = iterate(model)[Symbol.asyncIterator]();

  const waiting = parts.next();
  await Promise.resolve();
  const left = await parts.return?.();

  expect(left).toEqual({ value: undefined, done: true });
  expect(await waiting).toEqual({ value: undefined, done: true });
  await cancelled;
  expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true);
});

test("a response that arrives after the caller has left is cancelled", async () => {
  const { model: stalling, cancelled } = stallingModel();
  const answer = Promise.withResolvers<LanguageModelV4StreamResult>();
  const slow = new MockLanguageModelV4({ doStream: () => answer.promise });
  const parts = iterate(slow)[Symbol.asyncIterator]();
  const waiting = parts.next();
  await parts.return?.();

  answer.resolve(await stalling.doStream({ prompt: [] }));

  await cancelled;
  expect(await waiting).toEqual({ value: undefined, done: true });
});

test("a reply that came to its finish is read to its end, so that its connection serves again", async () => {
  const ended = Promise.withResolvers<void>();
  const sent: readonly unknown[] = [...text("Hi"), finish(), { type: "ping" }];
  const parts = sent.values();
  const stream = new ReadableStream<unknown>({
    pull(controller) {
      const { value, done } = parts.next();
      if (done !== true) return controller.enqueue(value);
      ended.resolve();
      controller.close();
    },
    cancel: () => ended.reject(new Error("It was broken off")),
  });
  const doStream = { stream } as unknown as LanguageModelV4StreamResult;
  const model = new MockLanguageModelV4({ doStream });

  for await (const part of fromAiSdk(model).provider.stream(requestOf())) {
    if (part.type === "finish") break;
  }

  await ended.promise;
  expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(false);
});

test.each([
  ["a name", "openai/gpt-5", 'but got "openai/gpt-5"'],
  ["nothing", undefined, "but got undefined"],
  [
    "a model of an older version",
    { specificationVersion: "v2", modelId: "old" },
    'The model "old" implements version "v2"',
  ],
])("%s in place of a model is refused at once, and the error says what to do", (_, given, said) => {
  expect(() => fromAiSdk(given as unknown as AiSdkModel)).toThrow(said);
});
