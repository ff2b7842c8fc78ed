import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { contentOf, finish, modelThatSends, partsOf, tool } from "./models.ts";

const call: LanguageModelV4ToolCall = {
  type: "tool-call",
  toolCallId: "call_1",
  toolName: "echo",
  input: '{"a":1}',
};
const started = { type: "tool-input-start", id: "call_1", toolName: "echo" } as const;
const delta = (value: string) =>
  ({ type: "tool-input-delta", id: "call_1", delta: value }) as const;
const ended = { type: "tool-input-end", id: "call_1" } as const;
const tools = [tool];

test("a call comes in the pieces of its input, and is whole when the model says so", async () => {
  const metadata = { providerMetadata: { vendor: { item: "fc_1" } } };

  const content = await contentOf(
    [started, delta('{"a"'), delta(":1}"), ended, { ...call, ...metadata }],
    { tools },
  );

  expect(content).toEqual([
    { type: "toolcall_start", index: 0, name: "echo", providerData: { id: "call_1" } },
    { type: "toolcall_delta", index: 0, delta: '{"a"' },
    { type: "toolcall_delta", index: 0, delta: ":1}" },
    { type: "ping" },
    {
      type: "toolcall_end",
      index: 0,
      input: { a: 1 },
      providerData: { id: "call_1", providerOptions: { vendor: { item: "fc_1" } } },
    },
  ]);
});

test("a call may come in one piece, and without arguments", async () => {
  const content = await contentOf([call, { ...call, toolCallId: "call_2", input: "" }]);

  expect(content).toMatchObject([
    { type: "toolcall_start", index: 0, name: "echo" },
    { type: "toolcall_end", index: 0, input: { a: 1 } },
    { type: "toolcall_start", index: 1, name: "echo" },
    { type: "toolcall_end", index: 1, input: {} },
  ]);
});

test("calls that stream at once are told apart", async () => {
  const other = { id: "call_2", toolName: "echo" };

  const content = await contentOf(
    [
      started,
      { ...other, type: "tool-input-start" },
      delta('{"a"'),
      { ...other, type: "tool-input-delta", delta: "{}" },
      delta(":1}"),
      call,
      { ...call, toolCallId: "call_2", input: "{}" },
    ],
    { tools },
  );

  expect(
    content.flatMap((part) => ("index" in part ? [`${part.type} ${part.index}`] : [])),
  ).toEqual([
    "toolcall_start 0",
    "toolcall_start 1",
    "toolcall_delta 0",
    "toolcall_delta 1",
    "toolcall_delta 0",
    "toolcall_end 0",
    "toolcall_end 1",
  ]);
});

test.each([
  ["streamed", [started, delta('{"a":'), ended, { ...call, input: '{"a":' }]],
  ["in one piece", [{ ...call, input: '{"a":' }]],
  ["without the part that says that it is whole", [started, delta('{"a":'), ended]],
])("a call whose input is cut off never ends: %s", async (_, sent) => {
  const content = await contentOf(sent, { tools });

  expect(content.filter(({ type }) => type !== "ping")).toMatchObject([
    { type: "toolcall_start", index: 0 },
    { type: "toolcall_delta", index: 0, delta: '{"a":' },
  ]);
});

test("the input that a model gives at the end is the input, whatever it showed before", async () => {
  const shown = { ...started, inputEncoding: "text" };

  const content = await contentOf([shown, delta("rm -r"), ended, { ...call, input: '"rm -rf"' }], {
    tools,
  });

  expect(content.at(-1)).toMatchObject({ type: "toolcall_end", input: "rm -rf" });
});

const aiSdk = {
  type: "provider",
  id: "vendor.search",
  args: {},
  isProviderExecuted: true,
} as const;

test.each([
  ["nobody declared", tools],
  ["the provider runs", [{ ...tool, name: "search", aiSdk }]],
])("a call of a tool that %s is not shown before it is known who runs it", async (_, declared) => {
  const search = { ...call, toolName: "search", providerExecuted: true };
  const unknown = { ...started, toolName: "search" };

  const content = await contentOf([unknown, delta('{"a":1}'), ended, search], { tools: declared });

  expect(content).toMatchObject([
    { type: "ping" },
    { type: "ping" },
    { type: "toolcall_start", name: "search", isProviderExecuted: true },
    { type: "toolcall_end", input: { a: 1 } },
  ]);
});

test("what the provider has run is kept with its result, and a preview is not", async () => {
  const result = { type: "tool-result", toolCallId: "call_1", toolName: "search" };
  const sent = [
    { ...started, toolName: "search", providerExecuted: true },
    { ...call, toolName: "search", providerExecuted: true },
    { ...result, result: { found: 0 }, preliminary: true },
    { ...result, result: { found: 2 }, providerMetadata: { vendor: { item: "ws_1" } } },
  ];

  const content = await contentOf(sent);

  expect(content).toMatchObject([
    { type: "toolcall_start", isProviderExecuted: true },
    { type: "toolcall_end" },
    { type: "ping" },
    { type: "native" },
  ]);
  expect(content.at(-1)).toEqual({
    type: "native",
    data: {
      ...result,
      output: { type: "json", value: { found: 2 } },
      providerOptions: { vendor: { item: "ws_1" } },
    },
  });
});

test.each([
  ["a text", { result: "Nothing" }, { type: "text", value: "Nothing" }],
  ["an error", { result: { code: 1 }, isError: true }, { type: "error-json", value: { code: 1 } }],
  ["nothing", {}, { type: "json", value: null }],
])("a result of the provider may be %s", async (_, fields, output) => {
  const result = { type: "tool-result", toolCallId: "call_1", toolName: "search", ...fields };

  const [native] = await contentOf([result]);

  expect(native).toHaveProperty("data.output", output);
});

const bytes = new Uint8Array([1, 2, 3]);

test.each([
  ["bytes", { type: "data", data: bytes }, { type: "data", data: "AQID" }],
  ["base64", { type: "data", data: "AQID" }, { type: "data", data: "AQID" }],
  ["bytes of version 3", bytes, { type: "data", data: "AQID" }],
  [
    "what is elsewhere",
    { type: "url", url: new URL("https://a.example/b.png") },
    { type: "url", url: "https://a.example/b.png" },
  ],
])("files are kept as JSON: %s", async (_, data, kept) => {
  const file = { type: "file", mediaType: "image/png", data };

  expect(await contentOf([file])).toEqual([
    { type: "native", data: { type: "file", mediaType: "image/png", data: kept } },
  ]);
});

test("a file of many bytes is kept whole", async () => {
  const many = new Uint8Array(100_000).fill(65);

  const [native] = await contentOf([{ type: "file", mediaType: "a/b", data: many }]);

  expect(native).toHaveProperty("data.data.data", Buffer.from(many).toString("base64"));
});

test("sources, requests for approval and parts of one vendor are kept as they are", async () => {
  const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" };
  const approval = { type: "tool-approval-request", approvalId: "a", toolCallId: "call_1" };
  const custom = { type: "custom", kind: "vendor.summary", providerMetadata: { vendor: { n: 1 } } };

  expect(await contentOf([source, approval, custom])).toEqual([
    { type: "native", data: source },
    { type: "native", data: approval },
    {
      type: "native",
      data: { type: "custom", kind: "vendor.summary", providerOptions: { vendor: { n: 1 } } },
    },
  ]);
});

test("what only announces a message is none of its content", async () => {
  expect(await contentOf([{ type: "custom", kind: "anthropic.message_start" }])).toEqual([
    { type: "ping" },
  ]);
});

test("a stop for tool calls is told as one", async () => {
  const parts = await partsOf(modelThatSends([call, finish("tool-calls")]), { tools });

  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
});
