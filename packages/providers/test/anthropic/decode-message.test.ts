import type { ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import {
  block,
  decodeEvents,
  decodeText,
  decodeWhole,
  messageEnd,
  messageStart,
} from "./events.ts";

const text = block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "Hi" }]);

test("a reply says who made it", () => {
  const [start] = decodeEvents([messageStart(), ...text, ...messageEnd("end_turn")]);

  expect(start).toEqual({
    type: "start",
    origin: { provider: "anthropic", api: "anthropic-messages", model: "claude-sonnet-4-5" },
    metadata: { id: "msg_1", model: "claude" },
  });
});

test("later counts replace earlier ones and are never added, and cached input is input", () => {
  const first = { input_tokens: 10, cache_read_input_tokens: 200, output_tokens: 1 };
  const last = { input_tokens: 12, cache_creation_input_tokens: 30, output_tokens: 40 };
  const details = { thinking_tokens: 5 };

  const parts = decodeEvents([
    messageStart(first),
    ...text,
    ...messageEnd("end_turn", {
      usage: { ...last, cache_read_input_tokens: null, output_tokens_details: details },
    }),
  ]);

  expect(usages(parts)).toEqual([
    { inputTokens: 210, outputTokens: 1, cacheReadTokens: 200 },
    {
      inputTokens: 242,
      outputTokens: 40,
      cacheReadTokens: 200,
      cacheWriteTokens: 30,
      reasoningTokens: 5,
    },
  ]);
});

test("counts that the vendor does not give are unknown", () => {
  const parts = decodeEvents([messageStart({}), ...text, ...messageEnd("end_turn")]);

  expect(usages(parts)).toEqual([{}]);
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "pause"],
  ["compaction", "pause"],
  ["refusal", "content-filter"],
  ["out_of_ink", "out_of_ink"],
  ["error", "anthropic-error"],
])("the stop reason %s is %s", (word, reason) => {
  const parts = decodeEvents([messageStart(), ...text, ...messageEnd(word)]);

  expect(parts.at(-1)).toMatchObject({ type: "finish", reason, metadata: { stop_reason: word } });
});

test("what the vendor says of a reply is kept in its own words", () => {
  const container = { id: "container_1", expires_at: "2026-01-01" };
  const details = { type: "refusal", category: "cyber" };
  const usage = { output_tokens: 9, server_tool_use: { web_search_requests: 2 } };

  const parts = decodeEvents([
    messageStart(),
    ...text,
    {
      type: "message_delta",
      delta: { stop_reason: "refusal", stop_details: details, stop_sequence: null, container },
      context_management: { applied_edits: [] },
      usage,
    },
    { type: "message_stop" },
  ]);

  expect(parts.at(-1)).toEqual({
    type: "finish",
    reason: "content-filter",
    metadata: {
      id: "msg_1",
      model: "claude",
      stop_reason: "refusal",
      stop_details: details,
      container,
      context_management: { applied_edits: [] },
      usage: { input_tokens: 3, ...usage },
    },
  });
});

test("a reply that was cut inside of a call ends without ending the call", () => {
  const start = { type: "tool_use", id: "toolu_1", name: "write", input: {} };
  const cut = block(0, start, [{ type: "input_json_delta", partial_json: '{"text":"half' }]);

  const parts = decodeEvents([messageStart(), ...cut.slice(0, -1), ...messageEnd("max_tokens")]);

  expect(parts.map(({ type }) => type)).not.toContain("toolcall_end");
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
});

test("what comes behind the end of a reply is left alone", () => {
  const events = [messageStart(), ...text, ...messageEnd("end_turn")];

  expect(decodeEvents([...events, { type: "message_start" }])).toEqual(decodeEvents(events));
});

test.each([
  ["a stream without a reply", []],
  ["a stream that ends inside of a block", [messageStart(), ...text.slice(0, 2)]],
  ["a stream that ends before the stop", [messageStart(), ...text]],
])("%s was cut off, and may be asked for again", (_, events) => {
  expect(failure(() => decodeEvents(events))).toMatchObject({ code: "network", retryable: true });
});

const [start, delta, stop] = text as [object, object, object];

test.each<[string, readonly object[]]>([
  ["a block before the message", [start]],
  ["a delta before its block", [messageStart(), delta]],
  ["an end before its block", [messageStart(), stop]],
  ["two messages", [messageStart(), messageStart()]],
  ["two blocks at once", [messageStart(), start, { ...start, index: 1 }]],
  ["a delta for another block", [messageStart(), start, { ...delta, index: 7 }]],
  ["a stop without a reason", [messageStart(), ...text, { type: "message_stop" }]],
  ["an answer that ends inside of a block", [messageStart(), start, ...messageEnd("end_turn")]],
  ["a message that is none", [{ type: "message_start", message: "Hi" }]],
  ["a block that is none", [messageStart(), { ...start, content_block: [] }]],
  [
    "a text that is a number",
    [messageStart(), start, { ...delta, delta: { type: "text_delta", text: 1 } }],
  ],
  [
    "a call without a name",
    [messageStart(), { ...start, content_block: { type: "tool_use", id: "1" } }],
  ],
])("%s is no reply of this protocol", (_, events) => {
  const error = failure(() => decodeEvents(events as never));

  expect(error).toMatchObject({ code: "protocol", retryable: false });
});

test.each(["{", "[DONE]", "", "null", "[]", '"text"', "7"])("%j is no event", (data) => {
  expect(failure(() => decodeText(data))).toMatchObject({ code: "protocol" });
});

test.each([[null], ["Hi"], [[]], [{}], [{ type: "message" }], [{ type: "message", content: [1] }]])(
  "%j is no reply",
  (body) => {
    expect(failure(() => decodeWhole(body))).toMatchObject({ code: "protocol" });
  },
);

function usages(parts: readonly ProviderPart[]): unknown[] {
  return parts.filter((part) => part.type === "usage").map(({ usage }) => usage);
}

function failure(run: () => unknown): ProviderError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof ProviderError) return thrown;
    throw thrown;
  }
  throw new Error("Nothing was thrown");
}
