import type { ChatMessage, ToolMessage } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  runToEnd,
  say,
  scriptedProvider,
  sequentialIds,
} from "@capstan/testing";
import * as fc from "fast-check";
import type { ModelMessage } from "ai";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { AnyAiSdkMessage } from "../../src/ai-sdk.ts";
import { fromAiSdkMessages, toAiSdkMessages } from "../../src/ai-sdk.ts";
import { conversations } from "./arbitrary-conversations.ts";
import { noUsage, origin, reply } from "./models.ts";

vi.setConfig({ testTimeout: 120_000 });
/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);

const model = { provider: origin.provider, modelId: origin.model };
const read = (messages: readonly AnyAiSdkMessage[]): ChatMessage[] =>
  fromAiSdkMessages(messages, { newId: sequentialIds() });

test("what both have a form for comes back as it was", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const back = fromAiSdkMessages(toAiSdkMessages(messages), { model, newId: sequentialIds() });

      expect(back).toEqual(messages);
    }),
    { numRuns },
  );
});

test("messages that were read once are written the same again", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const written = toAiSdkMessages(messages);

      expect(toAiSdkMessages(fromAiSdkMessages(written, { model }))).toEqual(written);
    }),
    { numRuns },
  );
});

test("generateText goes on with a turn of ours", async () => {
  const provider = scriptedProvider([[say("Looking."), callTool("echo", { a: 1 })], say("Done.")]);
  const turn = await runToEnd({ provider, tools: [echoTool()] });
  const next = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: "Welcome." }],
      finishReason: { unified: "stop", raw: undefined },
      usage: noUsage,
      warnings: [],
    },
  });

  const messages: ModelMessage[] = toAiSdkMessages(turn.transcript);
  await generateText({ model: next, messages: [...messages, { role: "user", content: "Thanks" }] });

  const asked = next.doGenerateCalls[0]?.prompt ?? [];
  expect(asked.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  expect(asked[2]).toMatchObject({ content: [{ output: { type: "text", value: '{"a":1}' } }] });
});

test("an agent of ours goes on with what generateText said", async () => {
  const providerMetadata = { vendor: { signature: "s" } };
  const end = {
    finishReason: { unified: "stop" as const, raw: undefined },
    usage: noUsage,
    warnings: [],
  };
  const call = { type: "tool-call", toolCallId: "c1", toolName: "look", input: '{"a":1}' } as const;
  const search = { toolCallId: "w1", toolName: "search" };
  const asked = new MockLanguageModelV4({
    ...model,
    doGenerate: [
      {
        ...end,
        content: [
          { type: "reasoning", text: "Hm", providerMetadata },
          { ...search, type: "tool-call", input: "{}", providerExecuted: true, dynamic: true },
          { ...search, type: "tool-result", result: { found: 1 }, dynamic: true },
          { ...call, providerMetadata },
        ],
      },
      { ...end, content: [{ type: "text", text: "Done.", providerMetadata }] },
    ],
  });
  const look = tool({
    inputSchema: z.object({ a: z.number() }),
    execute: async ({ a }) => ({ a }),
  });
  const { steps } = await generateText({
    model: asked,
    tools: { look },
    prompt: "Go",
    stopWhen: isStepCount(2),
  });
  const said = steps.flatMap(({ response }) => response.messages);

  const messages = fromAiSdkMessages(said, { model: asked, newId: sequentialIds() });

  const providerData = { providerOptions: providerMetadata };
  expect(messages).toMatchObject([
    {
      role: "assistant",
      stopReason: "tool-calls",
      origin,
      content: [
        { type: "thinking", thinking: "Hm", providerData },
        { type: "tool_call", name: "search", isProviderExecuted: true, providerData: { id: "w1" } },
        { type: "native", data: { type: "tool-result", toolCallId: "w1" } },
        { type: "tool_call", id: "c1", name: "look", input: { a: 1 }, providerData },
      ],
    },
    { role: "tool", toolCallId: "c1", toolName: "look", content: '{"a":1}', isError: false },
    {
      role: "assistant",
      stopReason: "stop",
      content: [{ type: "text", text: "Done.", providerData }],
    },
  ]);
  const again = toAiSdkMessages(messages, { model: asked });
  expect(again.map(({ role }) => role)).toEqual(said.map(({ role }) => role));
  // The result was JSON, and is the text of it.
  expect(again[1]).toMatchObject({ content: [{ output: { type: "text", value: '{"a":1}' } }] });
  expect([again[0], again[2]]).toEqual(JSON.parse(JSON.stringify([said[0], said[2]])));
});

const hello: ChatMessage = { role: "user", id: "u", content: "Hello" };
const call = { type: "tool_call", id: "k", name: "echo", input: {} } as const;
const result: ToolMessage = {
  role: "tool",
  id: "k",
  toolCallId: "k",
  toolName: "echo",
  content: "Done",
  isError: false,
};

test.each<[string, readonly ChatMessage[], readonly object[]]>([
  ["a message of the application", [{ role: "custom", id: "x", kind: "note", data: 1 }], []],
  ["a reply that failed", [reply([{ type: "text", text: "Once" }], { stopReason: "error" })], []],
  ["a text that says nothing", [{ role: "user", id: "u", content: " " }], []],
  ["a result without its call", [result], []],
  ["thinking that nothing came of", [reply([{ type: "thinking", thinking: "Hm" }])], []],
])("%s is left out", (_, messages, written) => {
  expect(toAiSdkMessages([hello, ...messages]).slice(1)).toEqual(written);
});

test("a refusal is a text, and what kept a call from being run is not told", () => {
  const [said] = toAiSdkMessages([
    reply([
      { type: "refusal", text: "No." },
      { ...call, malformedInput: "{" },
    ]),
  ]);

  expect(said?.content).toEqual([
    { type: "text", text: "No." },
    { type: "tool-call", toolCallId: "k", toolName: "echo", input: {} },
  ]);
});

test("a pending call is left for the client to answer, and a skipped one has no result", () => {
  const waiting = toAiSdkMessages([hello, reply([call])]);
  const passed = toAiSdkMessages([hello, reply([call]), hello]);

  expect(waiting.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(passed.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
});

test("provider data of one model is included for that model, or if no model is named", () => {
  const providerData = { providerOptions: { vendor: { signature: "s" } } };
  const said = reply([
    { type: "thinking", thinking: "Hm", providerData },
    { type: "text", text: "So." },
  ]);
  const contents = (options: Parameters<typeof toAiSdkMessages>[1]): unknown =>
    toAiSdkMessages([said], options)[0]?.content;

  const whole = [
    { type: "reasoning", text: "Hm", ...providerData },
    { type: "text", text: "So." },
  ];
  expect(contents({})).toEqual(whole);
  expect(contents({ model })).toEqual(whole);
  expect(contents({ model: { ...model, modelId: "m-2" } })).toEqual([
    { type: "text", text: "So." },
  ]);
});

const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const png = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" };

test.each<[string, object, object]>([
  ["bytes", { type: "image", image: bytes }, png],
  ["a buffer", { type: "image", image: bytes.buffer, mediaType: "image/png" }, png],
  ["base64 of some picture", { type: "file", mediaType: "image", data: png.data }, png],
  ["a data URL", { type: "image", image: `data:image/png;base64,${png.data}` }, png],
  [
    "tagged bytes",
    { type: "file", mediaType: "image/*", data: { type: "data", data: bytes } },
    png,
  ],
  [
    "another picture that does not say which",
    { type: "image", image: "/9j/4AAQ" },
    { type: "image", mediaType: "image/jpeg", data: "/9j/4AAQ" },
  ],
  [
    "a paper",
    { type: "file", mediaType: "application/pdf", data: "AQID", filename: "a.pdf" },
    { type: "document", mediaType: "application/pdf", data: "AQID", name: "a.pdf" },
  ],
  [
    "a text as a file",
    { type: "file", mediaType: "text", data: { type: "text", text: "hé" } },
    { type: "document", mediaType: "text/plain", data: Buffer.from("hé").toString("base64") },
  ],
  [
    "what is elsewhere, which is not fetched",
    { type: "file", mediaType: "image/png", data: new URL("https://a.example/b.png") },
    { type: "text", text: "[a file of type image/png at https://a.example/b.png]" },
  ],
  [
    "what only its provider knows",
    { type: "file", mediaType: "application/pdf", data: { openai: "file-1" }, filename: "a.pdf" },
    { type: "text", text: "[a.pdf of type application/pdf known only to its provider]" },
  ],
])("a file of a user may be %s", (_, part, wanted) => {
  // Each of them is a part of a message of the AI SDK.
  const message = {
    role: "user",
    content: [part, { type: "text", text: "See" }],
  } as AnyAiSdkMessage;

  expect(read([message])).toMatchObject([{ content: [wanted, { type: "text", text: "See" }] }]);
});

test("plain texts, replies that say nothing, and answers to approvals are read as what they are", () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "assistant", content: "" },
    {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: "a", approved: true }],
    },
  ];

  expect(read(messages)).toEqual([
    { role: "system", id: "id-1", content: "Be brief." },
    { role: "user", id: "id-2", content: "Hello" },
    {
      role: "assistant",
      id: "id-3",
      content: [{ type: "text", text: "Hi" }],
      stopReason: "stop",
    },
  ]);
});

test.each([
  ["a role that there is not", { role: "developer", content: "Hi" }, 'its role is "developer"'],
  ["no content", { role: "user" }, "its content is missing"],
  ["content that is none", { role: "user", content: [1] }, "its content is [1]"],
  ["nothing", null, "its content is missing"],
])("a message with %s is refused, and the error says which", (_, message, said) => {
  expect(() => read([{ role: "user", content: "Hi" }, message as AnyAiSdkMessage])).toThrow(
    `Message 1 is not an AI SDK message: ${said}`,
  );
});
