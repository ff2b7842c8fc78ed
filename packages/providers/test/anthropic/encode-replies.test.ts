import type { AssistantPart, ChatMessage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { messagesFor, reply } from "./requests.ts";

const hi: ChatMessage = { role: "user", id: "u1", content: "Hi" };
const thanks: ChatMessage = { role: "user", id: "u2", content: "Thanks" };

const thinking: AssistantPart = {
  type: "thinking",
  thinking: "",
  providerData: { signature: "sealed" },
};
const redacted = { type: "redacted_thinking", data: "x" };
const citations = [{ type: "char_location", cited_text: "sky" }];
const search: AssistantPart = {
  type: "tool_call",
  id: "p1",
  name: "web_search",
  input: { query: "sky" },
  isProviderExecuted: true,
  providerData: { type: "server_tool_use", id: "srvtoolu_1" },
};
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const everything: readonly AssistantPart[] = [
  thinking,
  { type: "thinking", thinking: "", providerData: redacted },
  search,
  { type: "native", data: found },
  { type: "text", text: "Blue.", providerData: { citations } },
  { type: "native", data: { type: "container_upload", file_id: "f1" } },
];
const searchBlock = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "sky" },
};

/** The content of the reply in a request to a model. */
function sentTo(
  model: string,
  parts: readonly AssistantPart[],
  from = "claude-sonnet-4-5",
): unknown {
  const messages = [hi, reply(parts, { model: from }), thanks];
  return (messagesFor(model, { messages }) as { content: unknown }[])[1]?.content;
}

test("everything goes back to the model that made it, verbatim and in order", () => {
  expect(sentTo("claude-sonnet-4-5-20250929", everything)).toEqual([
    { type: "thinking", thinking: "", signature: "sealed" },
    redacted,
    searchBlock,
    found,
    { type: "text", text: "Blue.", citations },
    { type: "container_upload", file_id: "f1" },
  ]);
});

test("another model of Claude gets all but the thinking", () => {
  expect(sentTo("claude-opus-4-1", everything)).toEqual([
    searchBlock,
    found,
    { type: "text", text: "Blue.", citations },
    { type: "container_upload", file_id: "f1" },
  ]);
});

test("a model that may read the thinking of an earlier one gets it", () => {
  const text: AssistantPart = { type: "text", text: "Hi" };

  expect(sentTo("claude-fable-5-1", [thinking, text], "claude-opus-5")).toHaveLength(2);
  expect(sentTo("claude-opus-5", [thinking, text], "claude-fable-5-1")).toHaveLength(1);
});

test("of a reply of another vendor the words and the calls are left", () => {
  const origin = { provider: "openai", api: "openai-responses", model: "gpt-6" };
  const parts: readonly AssistantPart[] = [
    { type: "thinking", thinking: "Hm", providerData: { encrypted: "x" } },
    { type: "text", text: "Let me see.", providerData: { phase: "commentary" } },
    { type: "refusal", text: "Not that." },
    { ...search, id: "p1" },
    { type: "native", data: { type: "web_search_call" } },
    { type: "tool_call", id: "call|1", name: "a.b", input: ["x"], providerData: { id: "fc_1" } },
  ];
  const result: ChatMessage = {
    role: "tool",
    id: "call|1",
    toolCallId: "call|1",
    toolName: "a.b",
    content: "ok",
    isError: false,
  };

  const messages = messagesFor("claude-opus-5", {
    messages: [hi, reply(parts, { origin }), result],
  });

  const id: unknown = expect.stringMatching(/^call1[a-z0-9]+$/);
  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Hi" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me see." },
        { type: "text", text: "Not that." },
        { type: "tool_use", id, name: "a_b", input: { input: ["x"] } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
  ]);
});

test("another service of the same protocol gets the words, and nothing that the first one ran", () => {
  const origin = { provider: "house", api: "anthropic-messages", model: "claude-sonnet-4-5" };

  const messages = messagesFor("claude-sonnet-4-5", {
    messages: [hi, reply(everything, { origin }), thanks],
  });

  expect(messages).toMatchObject([
    { role: "user" },
    { role: "assistant", content: [{ type: "text", text: "Blue." }] },
    { role: "user" },
  ]);
});

test("thinking without a signature is no thinking to anybody", () => {
  const parts: AssistantPart[] = [
    { type: "thinking", thinking: "Hm" },
    { type: "text", text: "Hi" },
  ];

  expect(sentTo("claude-sonnet-4-5", parts)).toEqual([{ type: "text", text: "Hi" }]);
});

test("a call keeps the vendor's id and what else the vendor said of it", () => {
  const data = { id: "toolu_1", caller: { type: "direct" }, toolset_name: "computer" };
  const call = { type: "tool_call", id: "c1", name: "click", input: { x: 1 } } as const;

  const messages = messagesFor("claude-opus-4-1", {
    messages: [hi, reply([{ ...call, providerData: data }])],
  });

  expect(messages).toMatchObject([
    {},
    { content: [{ type: "tool_use", name: "click", input: { x: 1 }, ...data }] },
    { content: [{ type: "tool_result", tool_use_id: "toolu_1", toolset_name: "computer" }] },
  ]);
});

test("a server tool that was cut off is left out, and so is whoever was called by it", () => {
  const call: AssistantPart = {
    type: "tool_call",
    id: "c1",
    name: "look",
    input: {},
    providerData: { id: "toolu_1", caller: { type: "code_execution", tool_id: "srvtoolu_1" } },
  };

  expect(sentTo("claude-sonnet-4-5", [search, call])).toEqual([
    { type: "tool_use", id: "toolu_1", name: "look", input: {} },
  ]);
});

test("a server tool whose arguments were cut off is left out with its result", () => {
  const parts: AssistantPart[] = [
    { ...search, malformedInput: '{"query":' },
    { type: "native", data: found },
    { type: "text", text: "Blue." },
  ];

  expect(sentTo("claude-sonnet-4-5", parts)).toEqual([{ type: "text", text: "Blue." }]);
});

test("a server tool that still runs goes back when the reply was paused", () => {
  const text: AssistantPart = { type: "text", text: "Searching" };

  const messages = messagesFor("claude-sonnet-4-5", {
    messages: [hi, reply([text, search], { stopReason: "pause" })],
  });

  expect(messages).toMatchObject([{ role: "user" }, { content: [text, searchBlock] }]);
});

test("a server tool that waits for a tool of ours goes back with its result", () => {
  const call: AssistantPart = { type: "tool_call", id: "c1", name: "look", input: {} };

  const messages = messagesFor("claude-sonnet-4-5", {
    messages: [hi, reply([search, call], { stopReason: "tool-calls" })],
  });

  expect(messages).toMatchObject([
    { role: "user" },
    { content: [searchBlock, { type: "tool_use" }] },
    { content: [{ type: "tool_result" }] },
  ]);
});

test("a result of a server tool whose call is gone is left out", () => {
  const parts: AssistantPart[] = [
    { type: "native", data: found },
    { type: "text", text: "Blue." },
  ];

  expect(sentTo("claude-sonnet-4-5", parts)).toEqual([{ type: "text", text: "Blue." }]);
});
