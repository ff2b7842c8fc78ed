import type { LanguageModelV4GenerateResult, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { bindTools, createScope, defineTool, dependency } from "@capstan/core";
import type { ToolContract, ToolExecutionEvent } from "@capstan/kernel";
import { echoTool, failingTool, remoteTool, tinyImage } from "@capstan/testing";
import { generateText, isStepCount, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { z } from "zod";
import { toAiSdkTools } from "../../src/ai-sdk.ts";
import { finish, modelThatSends, noUsage, text } from "./models.ts";

function replied(
  unified: "stop" | "tool-calls",
  part: LanguageModelV4GenerateResult["content"][number],
): LanguageModelV4GenerateResult {
  const finishReason = { unified, raw: undefined };
  return { content: [part], finishReason, usage: noUsage, warnings: [] };
}

/** A model that calls a tool once, and then says that it is done. */
function modelThatCalls(toolName: string, sent: unknown = {}): MockLanguageModelV4 {
  const input = JSON.stringify(sent);
  const call = { type: "tool-call", toolCallId: "c1", toolName, input } as const;
  return new MockLanguageModelV4({
    doGenerate: [replied("tool-calls", call), replied("stop", { type: "text", text: "Done." })],
  });
}

/** Runs `generateText` with one tool that the model calls. */
async function callOf(tool: ToolContract, input: unknown = {}, settings = {}) {
  const model = modelThatCalls(tool.name, input);
  const tools = toAiSdkTools([tool], settings);
  const result = await generateText({ model, tools, prompt: "Go", stopWhen: isStepCount(2) });
  const prompt = model.doGenerateCalls[1]?.prompt ?? [];
  return { result, output: outputIn(prompt), declared: model.doGenerateCalls[0]?.tools };
}

/** The tool's result as the model saw it. */
function outputIn(prompt: LanguageModelV4Prompt): unknown {
  const last = prompt.at(-1);
  return last?.role === "tool" && last.content[0]?.type === "tool-result"
    ? last.content[0].output
    : undefined;
}

function toolOf(execute: NonNullable<ToolContract["execute"]>): ToolContract {
  return { name: "look", description: "Looks", inputSchema: { type: "object" }, execute };
}

test("generateText runs a tool of ours and tells the model what it said", async () => {
  const tool = echoTool();

  const { result, output, declared } = await callOf(
    tool,
    { a: 1 },
    { cwd: "/tmp", conversationId: "c" },
  );

  expect(result.text).toBe("Done.");
  expect(output).toEqual({ type: "text", value: '{"a":1}' });
  expect(declared).toMatchObject([
    { type: "function", name: "echo", inputSchema: { type: "object" } },
  ]);
  expect(tool.started).toMatchObject([
    { toolCallId: "c1", input: { a: 1 }, context: { cwd: "/tmp" } },
  ]);
  expect(tool.started[0]?.context.idempotencyKey).toMatch(/^[a-f0-9]+$/);
});

test.each<[string, unknown, unknown]>([
  ["JSON", { degrees: 20 }, { type: "json", value: { degrees: 20 } }],
  ["nothing", undefined, { type: "text", value: "(no output)" }],
  [
    "an envelope, of which the model sees the message only",
    { ok: true, outputMessage: "Warm", details: { degrees: 20 } },
    { type: "text", value: "Warm" },
  ],
  [
    "parts",
    [{ type: "text", text: "See" }, tinyImage],
    {
      type: "content",
      value: [
        { type: "text", text: "See" },
        { type: "file", mediaType: "image/png" },
      ],
    },
  ],
])("a tool may return %s", async (_, returned, output) => {
  const called = await callOf(toolOf(() => returned as object));

  expect(called.output).toMatchObject(output as object);
});

test.each<[string, ToolContract, string]>([
  ["throws", failingTool(), "the tool failed"],
  [
    "says that it is one",
    toolOf(() => ({ ok: false, outputMessage: "No such city" })),
    "No such city",
  ],
  [
    "says so at its end",
    toolOf(async function* (): AsyncGenerator<ToolExecutionEvent> {
      yield { type: "complete", output: [{ type: "text", text: "Cut" }], isError: true };
    }),
    "Cut",
  ],
  [
    "ends without a result",
    toolOf(async function* (): AsyncGenerator<ToolExecutionEvent> {}),
    "The tool ended without a result.",
  ],
])("a failure that %s is one for the AI SDK", async (_, tool, said) => {
  const { result, output } = await callOf(tool);

  // As the AI SDK writes errors.
  expect(output).toEqual({ type: "error-text", value: `Error: ${said}` });
  expect(result.steps[0]?.content).toContainEqual(expect.objectContaining({ type: "tool-error" }));
});

test("what a tool shows while it runs is there while it runs", async () => {
  const isSeen = Promise.withResolvers<void>();
  const tools = toAiSdkTools([
    toolOf(async function* (_, context): AsyncGenerator<ToolExecutionEvent> {
      yield { type: "delta", delta: "one" };
      await isSeen.promise;
      context.update(", two");
      yield { type: "complete", output: "three", details: { n: 3 } };
    }),
  ]);
  const outputs = tools["look"]?.execute?.({}, { toolCallId: "c1" })[Symbol.asyncIterator]();

  const first = await outputs?.next();
  isSeen.resolve();
  const rest = [await outputs?.next(), await outputs?.next(), await outputs?.next()];

  expect(first).toEqual({ value: "one", done: false });
  expect(rest).toEqual([
    { value: "one, two", done: false },
    { value: { ok: true, outputMessage: "three", details: { n: 3 } }, done: false },
    { value: undefined, done: true },
  ]);
});

test("streamText shows what a tool shows, and its output at last", async () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "echo", input: '{"a":1}' };
  const model = modelThatSends([call, finish("tool-calls")], [...text("Done."), finish()]);
  const tools = toAiSdkTools([echoTool()]);

  const { stream } = streamText({ model, tools, prompt: "Go", stopWhen: isStepCount(2) });
  const parts = await Array.fromAsync(stream);

  const results = parts.filter((part) => part.type === "tool-result");
  expect(results.at(-1)).toMatchObject({ toolName: "echo", output: '{"a":1}' });
  expect(parts.filter((part) => part.type === "text-delta")).toMatchObject([{ text: "Done." }]);
});

test("the model is shown the schema as it is, and what it sends is checked and converted", async () => {
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: "book",
    description: "Books",
    input: z.object({ day: z.string().transform((day) => new Date(day)) }),
    execute: (input) => {
      inputs.push(input);
      return "Booked";
    },
  });

  const good = await callOf(tool, { day: "2026-01-01" });
  const bad = await callOf(tool, { day: 1 });

  expect(good.declared).toMatchObject([{ inputSchema: tool.inputSchema }]);
  expect(good.result.steps[0]?.toolCalls[0]?.input).toEqual({ day: "2026-01-01" });
  expect(inputs).toEqual([{ day: new Date("2026-01-01") }]);
  expect(bad.output).toMatchObject({ type: "error-text", value: expect.stringContaining("day: ") });
});

test("an object that may have more than its properties stays one", async () => {
  const inputSchema = { type: "object", properties: { a: { type: "object" } } };

  const { declared } = await callOf(echoTool({ inputSchema }));

  expect(declared).toEqual([expect.objectContaining({ inputSchema })]);
});

test("a tool that needs approval waits for it, and is asked with what the model sent", async () => {
  const asked: unknown[] = [];
  const rule = (input: unknown): boolean => asked.push(input) > 0;

  const { result } = await callOf(echoTool({ needsApproval: rule }), { a: 1 });

  expect(asked).toEqual([{ a: 1 }]);
  expect(result.content.map(({ type }) => type)).toEqual(["tool-call", "tool-approval-request"]);
});

test("a remote tool is left for the client to run", async () => {
  const { result } = await callOf(remoteTool(), { a: 1 });

  expect(result.toolCalls).toMatchObject([{ toolName: "remote", input: { a: 1 } }]);
  expect(result.toolResults).toEqual([]);
});

test("dependencies are there for tools that are bound, and an unbound tool says what to do", async () => {
  const city = dependency("city", () => "Rome");
  const tool = defineTool({
    name: "where",
    description: "Where",
    input: z.object({}),
    execute: (_, { get }) => get(city),
  });
  const [bound] = bindTools([tool], createScope());

  expect((await callOf(bound ?? tool)).output).toEqual({ type: "text", value: "Rome" });
  expect((await callOf(tool)).output).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("bindTools"),
  });
});

test("an abort reaches the tool, and who leaves early ends it", async () => {
  const left = Promise.withResolvers<void>();
  const first: ToolExecutionEvent = { type: "delta", delta: "one" };
  const events = [Promise.resolve({ value: first, done: false as const })].values();
  const signals: AbortSignal[] = [];
  const tool = toolOf((_, { signal }) => {
    signals.push(signal);
    const iterator: AsyncIterator<ToolExecutionEvent> = {
      next: () => events.next().value ?? new Promise(() => {}),
      return: async () => {
        left.resolve();
        return { value: undefined, done: true };
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  });
  const { signal: abortSignal } = new AbortController();
  const outputs = toAiSdkTools([tool])["look"]?.execute?.({}, { toolCallId: "c", abortSignal });

  const iterator = outputs?.[Symbol.asyncIterator]();
  await iterator?.next();
  await iterator?.return?.();

  await left.promise;
  expect(signals).toEqual([abortSignal]);
});

test("as a Standard Schema, a schema says the same", async () => {
  const tool = defineTool({
    name: "book",
    description: "Books",
    input: z.object({ day: z.string().transform((day) => new Date(day)) }),
  });
  const { validate, jsonSchema } = toAiSdkTools([tool])["book"]?.inputSchema["~standard"] ?? {};

  expect(jsonSchema?.input()).toEqual(tool.inputSchema);
  expect(await validate?.({ day: "2026-01-01" })).toEqual({ value: { day: "2026-01-01" } });
  expect(await validate?.({ day: 1 })).toMatchObject({ issues: [{ path: ["day"] }] });
});

test("two tools of one name are refused", () => {
  expect(() => toAiSdkTools([echoTool(), echoTool()])).toThrow('Two tools are named "echo"');
});
