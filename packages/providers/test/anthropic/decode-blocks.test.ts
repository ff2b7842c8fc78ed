import { expect, test } from "vitest";
import { block, decodeBlocks, decodeWhole } from "./events.ts";

const citation = (index: number) => ({ type: "char_location", document_index: index });

test("citations of a text are kept for the vendor, all of them", () => {
  const parts = decodeBlocks(
    block(0, { type: "text", text: "", citations: [] }, [
      { type: "text_delta", text: "Blue" },
      { type: "citations_delta", citation: citation(0) },
      { type: "citations_delta", citation: citation(1) },
    ]),
  );

  expect(parts).toEqual([
    { type: "text_delta", delta: "Blue" },
    { type: "text_end", providerData: { citations: [citation(0), citation(1)] } },
  ]);
});

test("a text without anything beside it needs no provider data", () => {
  const parts = decodeBlocks(
    block(0, { type: "text", text: "", citations: null }, [{ type: "text_delta", text: "Hi" }]),
  );

  expect(parts).toEqual([{ type: "text_delta", delta: "Hi" }, { type: "text_end" }]);
});

test("thinking keeps its signature, also if its text is hidden", () => {
  const thinking = { type: "thinking", thinking: "", signature: "" };

  const parts = decodeBlocks([
    ...block(0, thinking, [
      { type: "thinking_delta", thinking: "Hmm" },
      { type: "signature_delta", signature: "abc" },
    ]),
    ...block(1, thinking, [{ type: "signature_delta", signature: "def" }]),
  ]);

  expect(parts).toEqual([
    { type: "thinking_delta", delta: "Hmm" },
    { type: "thinking_end", providerData: { signature: "abc" } },
    { type: "thinking_end", providerData: { signature: "def" } },
  ]);
});

test("redacted thinking is thinking that only the vendor can read", () => {
  const redacted = { type: "redacted_thinking", data: "sealed" };

  const parts = decodeBlocks(block(0, redacted));

  expect(parts).toEqual([{ type: "thinking_end", providerData: redacted }]);
});

test("a call is whole when its block has ended, and keeps what the vendor said of it", () => {
  const caller = { type: "direct" };

  const parts = decodeBlocks(
    block(0, { type: "tool_use", id: "toolu_1", name: "add", input: {}, caller }, [
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"a":' },
      { type: "input_json_delta", partial_json: "2}" },
    ]),
    "tool_use",
  );

  expect(parts).toEqual([
    { type: "toolcall_start", index: 0, name: "add", providerData: { id: "toolu_1", caller } },
    { type: "toolcall_delta", index: 0, delta: '{"a":' },
    { type: "toolcall_delta", index: 0, delta: "2}" },
    { type: "toolcall_end", index: 0, input: undefined },
  ]);
});

test("arguments that come with the start of a call are taken from there", () => {
  const parts = decodeBlocks(
    block(0, { type: "tool_use", id: "toolu_1", name: "add", input: { a: 2 } }),
    "tool_use",
  );

  expect(parts.at(-1)).toEqual({ type: "toolcall_end", index: 0, input: { a: 2 } });
});

test("a tool that the vendor ran is a call of the provider, and its result is native", () => {
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };

  const parts = decodeBlocks([
    ...block(0, use, [{ type: "input_json_delta", partial_json: '{"query":"x"}' }]),
    ...block(1, result),
  ]);

  expect(parts).toEqual([
    {
      type: "toolcall_start",
      index: 0,
      name: "web_search",
      isProviderExecuted: true,
      providerData: { type: "server_tool_use", id: "srvtoolu_1" },
    },
    { type: "toolcall_delta", index: 0, delta: '{"query":"x"}' },
    { type: "toolcall_end", index: 0 },
    { type: "native", data: result },
  ]);
});

test("a kind of block that nobody knows is kept, with all that its deltas add", () => {
  const parts = decodeBlocks(
    block(0, { type: "hologram", layers: [1], note: "a", content: null }, [
      { type: "hologram_delta", layers: [2], note: "b" },
      { type: "compaction_delta", content: "Summary", encrypted_content: null },
    ]),
  );

  const data = { type: "hologram", layers: [1, 2], note: "ab", content: "Summary" };
  expect(parts).toEqual([{ type: "native", data }]);
});

test("events that nobody knows are signs of life", () => {
  const parts = decodeBlocks([{ type: "ping" }, { type: "weather_report", sky: "blue" }]);

  expect(parts).toEqual([{ type: "ping" }, { type: "ping" }]);
});

test("a whole reply is read as its events would be", () => {
  const content = [
    { type: "thinking", thinking: "Hmm", signature: "abc" },
    { type: "text", text: "Adding", citations: null },
    { type: "tool_use", id: "toolu_1", name: "add", input: { a: 2 } },
  ];

  const parts = decodeWhole({
    type: "message",
    role: "assistant",
    id: "msg_1",
    model: "claude",
    content,
    stop_reason: "tool_use",
    usage: { input_tokens: 3, output_tokens: 9 },
  });

  expect(parts.map(({ type }) => type)).toEqual([
    "start",
    "usage",
    "thinking_delta",
    "thinking_end",
    "text_delta",
    "text_end",
    "toolcall_start",
    "toolcall_end",
    "finish",
  ]);
});
