import type { ChatMessage, ToolContract } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { complete } from "@capstan/providers/complete";
import {
  callTool,
  callToolRaw,
  cutOff,
  failBefore,
  finish,
  hang,
  parts,
  pause,
  reply,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import { expect, test, vi } from "vitest";

const messages: readonly ChatMessage[] = [{ role: "user", id: "u1", content: "Hello" }];

const weather = {
  name: "weather",
  description: "The weather of a city",
  inputSchema: { type: "object" },
  execute: vi.fn(() => "sunny"),
} satisfies ToolContract;

test("an answer comes with its usage, its stop reason and what the vendor said about it", async () => {
  const provider = scriptedProvider([
    parts([
      { type: "start", origin: { provider: "test" }, metadata: { id: "r1" } },
      { type: "text_delta", delta: "Hi" },
      { type: "finish", reason: "length", usage: { inputTokens: 3, outputTokens: 1 } },
    ]),
  ]);

  const completion = await complete(provider, { messages });

  expect(completion).toEqual({
    messages: [
      {
        role: "assistant",
        id: expect.any(String),
        content: [{ type: "text", text: "Hi" }],
        stopReason: "length",
        usage: { inputTokens: 3, outputTokens: 1 },
        origin: { provider: "test" },
        metadata: { id: "r1" },
      },
    ],
    usage: { inputTokens: 3, outputTokens: 1 },
    stopReason: "length",
    metadata: { id: "r1" },
  });
});

test("options and tools reach the provider", async () => {
  const provider = scriptedProvider([say("Hi")]);
  const options = { model: "m", temperature: 0.5 };

  await complete(provider, { messages, tools: [weather], options });

  const [request] = provider.requests;
  expect(request?.options).toBe(options);
  expect(request?.tools).toEqual(["weather"]);
});

test("tool calls are in the answer, and nobody runs them", async () => {
  const provider = scriptedProvider([callTool("weather", { city: "Berlin" })]);

  const { messages: answer, stopReason } = await complete(provider, { messages, tools: [weather] });

  expect(stopReason).toBe("tool-calls");
  expect(answer).toHaveLength(1);
  expect(answer[0]?.content).toMatchObject([{ name: "weather", input: { city: "Berlin" } }]);
  expect(weather.execute).not.toHaveBeenCalled();
  expect(provider.requests).toHaveLength(1);
});

test.each([
  ["whose arguments are no JSON", callToolRaw("weather", '{"city":')],
  ["of a tool that was not declared", callTool("other", {})],
])("a call %s is in the answer as well, and the model is not asked again", async (_name, call) => {
  const provider = scriptedProvider([call]);

  const { messages: answer, stopReason } = await complete(provider, { messages, tools: [weather] });

  expect(stopReason).toBe("tool-calls");
  expect(answer.map(({ role }) => role)).toEqual(["assistant"]);
  expect(provider.requests).toHaveLength(1);
});

test("a model that pauses is asked to go on, and everything it said is in the answer", async () => {
  const provider = scriptedProvider([
    reply(say("One, "), usage({ outputTokens: 2 }), pause()),
    reply(say("two."), usage({ outputTokens: 3 }), finish("stop")),
  ]);

  const completion = await complete(provider, { messages });

  expect(completion.messages.map(({ content }) => content)).toEqual([
    [{ type: "text", text: "One, " }],
    [{ type: "text", text: "two." }],
  ]);
  expect(completion).toMatchObject({ usage: { outputTokens: 5 }, stopReason: "stop" });
});

test("the provider's own error is thrown, once", async () => {
  const error = new ProviderError("rate_limit", "Slow down", { retryAfterMs: 5, status: 429 });
  const provider = scriptedProvider([failBefore(error), say("Hi")]);

  const completion = complete(provider, { messages });

  await expect(completion).rejects.toBe(error);
  expect(provider.requests).toHaveLength(1);
});

test("what is wrong with a stream is thrown as a provider error too", async () => {
  const provider = scriptedProvider([reply(say("Hi"), cutOff())]);

  const completion = complete(provider, { messages });

  await expect(completion).rejects.toBeInstanceOf(ProviderError);
  await expect(completion).rejects.toMatchObject({ code: "network", retryable: true });
});

test("a signal ends it with its reason", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([hang()]);

  const completion = complete(provider, { messages, signal: controller.signal });
  controller.abort(new Error("enough"));

  await expect(completion).rejects.toThrow("enough");
});

test("a signal that has fired before asks nobody", async () => {
  const provider = scriptedProvider([say("Hi")]);

  const completion = complete(provider, { messages, signal: AbortSignal.abort("no") });

  await expect(completion).rejects.toBe("no");
  expect(provider.requests).toHaveLength(0);
});
