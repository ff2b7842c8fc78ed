import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import { gptTarget } from "./requests.ts";

type Event = { readonly type: string; readonly [field: string]: JsonValue };

const target = gptTarget("gpt-5.5");
const response = { id: "resp_1", model: "gpt-5.5", status: "completed", output: [] };
const created: Event = {
  type: "response.created",
  response: { ...response, status: "in_progress" },
};
const completed: Event = { type: "response.completed", response };

/** The parts of a stream, but for its start and its end. */
function decode(...events: readonly Event[]): ProviderPart[] {
  return decodeAll(created, ...events, completed).slice(1, -1);
}

function decodeAll(...events: readonly Event[]): ProviderPart[] {
  const decoder = openAiResponses.decoder(target);
  const parts: ProviderPart[] = [];
  for (const event of events) {
    decoder.take({ event: event.type, data: JSON.stringify(event), id: "", isBare: false }, parts);
  }
  decoder.end(parts);
  return parts;
}

const added = (place: number, item: JsonValue): Event => ({
  type: "response.output_item.added",
  output_index: place,
  item,
});
const done = (place: number, item: JsonValue): Event => ({
  type: "response.output_item.done",
  output_index: place,
  item,
});
const delta = (kind: string, place: number, text: string, fields = {}): Event => ({
  type: `response.${kind}.delta`,
  output_index: place,
  delta: text,
  ...fields,
});
const output = (text: string) => ({ type: "output_text", text, annotations: [] });

describe("a message", () => {
  test("is streamed, and its end has what goes back", () => {
    const item = { type: "message", id: "msg_1", role: "assistant", phase: "final_answer" };

    const parts = decode(
      added(0, { ...item, content: [] }),
      delta("output_text", 0, "Hel"),
      delta("output_text", 0, "lo"),
      done(0, { ...item, content: [output("Hello")] }),
    );

    expect(parts).toEqual([
      { type: "text_start" },
      { type: "text_delta", delta: "Hel" },
      { type: "text_delta", delta: "lo" },
      { type: "text_end", providerData: { id: "msg_1", phase: "final_answer" } },
    ]);
  });

  test("of which a part was streamed is completed from its end", () => {
    const item = { type: "message", id: "msg_1", content: [output("Hello")] };

    const parts = decode(added(0, item), delta("output_text", 0, "Hel"), done(0, item));

    expect(parts.filter(({ type }) => type === "text_delta")).toEqual([
      { type: "text_delta", delta: "Hel" },
      { type: "text_delta", delta: "lo" },
    ]);
  });

  test("that only its end, or only the end of the reply, tells of is shown all the same", () => {
    const item = { type: "message", id: "msg_1", content: [output("Hello")] };
    const shown = [
      { type: "text_start" },
      { type: "text_delta", delta: "Hello" },
      { type: "text_end", providerData: { id: "msg_1" } },
    ];

    expect(decode(done(0, item))).toEqual(shown);
    expect(
      decodeAll({ type: "response.completed", response: { ...response, output: [item] } }),
    ).toMatchObject([{ type: "start" }, ...shown, { type: "finish", reason: "stop" }]);
  });

  test("with several texts and a refusal has a part for each", () => {
    const annotations = [{ type: "url_citation", url: "https://example.com" }];
    const content = [
      { ...output("One"), annotations },
      output("Two"),
      { type: "refusal", refusal: "No" },
    ];
    const item = { type: "message", id: "msg_1", content };

    const streamed = decode(
      added(0, { type: "message", id: "msg_1", content: [] }),
      delta("output_text", 0, "One", { content_index: 0 }),
      delta("output_text", 0, "Two", { content_index: 1 }),
      delta("refusal", 0, "No", { content_index: 2 }),
      done(0, item),
    );

    expect(textsOf(streamed)).toEqual(["One", "Two", "No"]);
    expect(decode(done(0, item))).toContainEqual({
      type: "text_end",
      providerData: { id: "msg_1", annotations },
    });
  });
});

describe("reasoning", () => {
  test("is one part, its summaries parted by an empty line", () => {
    const summary = [{ text: "One" }, { text: "Two" }];
    const item = { type: "reasoning", id: "rs_1", summary, encrypted_content: "sealed" };

    const parts = decode(
      added(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "early" }),
      delta("reasoning_summary_text", 0, "One", { summary_index: 0 }),
      delta("reasoning_summary_text", 0, "Two", { summary_index: 1 }),
      done(0, item),
    );

    expect(textsOf(parts)).toEqual(["One\n\nTwo"]);
    expect(parts.at(-1)).toEqual({
      type: "thinking_end",
      providerData: { id: "rs_1", summary, encrypted_content: "sealed" },
    });
  });

  test("without a text is kept for its sealed content", () => {
    const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };

    expect(decode(added(0, item), done(0, item))).toEqual([
      { type: "thinking_start" },
      { type: "thinking_end", providerData: { id: "rs_1", encrypted_content: "sealed" } },
    ]);
  });

  test("in the open is shown as it is", () => {
    const content = [{ type: "reasoning_text", text: "Hm" }];

    const parts = decode(done(0, { type: "reasoning", id: "rs_1", summary: [], content }));

    expect(parts).toEqual([
      { type: "thinking_start" },
      { type: "thinking_delta", delta: "Hm" },
      { type: "thinking_end", providerData: { id: "rs_1", isContent: true } },
    ]);
  });
});

describe("a call", () => {
  const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather" };

  test("is known by its place, however its ids change", () => {
    const parts = decode(
      added(0, { ...item, id: "tmp_1" }),
      added(1, { ...item, id: "tmp_2", name: "time" }),
      delta("function_call_arguments", 1, '{"a":1}', { item_id: "other" }),
      delta("function_call_arguments", 0, '{"b":2}', { item_id: "another" }),
      done(1, { ...item, id: "fc_2", name: "time", arguments: '{"a":1}' }),
      done(0, { ...item, arguments: '{"b":2}' }),
    );

    expect(parts).toMatchObject([
      { type: "toolcall_start", index: 0, name: "weather" },
      { type: "toolcall_start", index: 1, name: "time" },
      { type: "toolcall_delta", index: 1, delta: '{"a":1}' },
      { type: "toolcall_delta", index: 0, delta: '{"b":2}' },
      { type: "toolcall_end", index: 1, providerData: { id: "call_1", itemId: "fc_2" } },
      { type: "toolcall_end", index: 0, providerData: { id: "call_1", itemId: "fc_1" } },
    ]);
  });

  test("without arguments has none", () => {
    expect(decode(added(0, item), done(0, { ...item, arguments: "" })).at(-1)).toMatchObject({
      type: "toolcall_end",
      input: {},
    });
  });

  test("that the token limit cut is not finished, and neither is one of a stream that broke off", () => {
    const cut = done(0, { ...item, arguments: '{"city":', status: "incomplete" });
    const incomplete = { ...response, status: "incomplete" };

    const parts = decodeAll(created, added(0, item), cut, {
      type: "response.incomplete",
      response: incomplete,
    });

    expect(parts.map(({ type }) => type)).not.toContain("toolcall_end");
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "length" });
    expect(() => decodeAll(created, added(0, item))).toThrow(
      expect.objectContaining({ code: "network", retryable: true }),
    );
  });

  test("of a tool for free text has it for its input", () => {
    const custom = { ...item, type: "custom_tool_call", input: "print(1)" };

    expect(decode(done(0, custom)).at(-1)).toMatchObject({
      type: "toolcall_end",
      input: "print(1)",
      providerData: { id: "call_1", itemId: "fc_1", type: "custom_tool_call" },
    });
  });

  test("that the vendor ran is shown as its own, with the item to go back", () => {
    const search = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "x" } };

    expect(decode(added(0, search), done(0, search))).toEqual([
      { type: "toolcall_start", index: 0, name: "web_search", isProviderExecuted: true },
      { type: "toolcall_end", index: 0, input: search.action, providerData: { item: search } },
    ]);
  });
});

describe("the end of a reply", () => {
  test.each([
    [{ status: "completed" }, "stop"],
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content-filter"],
    [{ status: "incomplete", incomplete_details: { reason: "max_tool_calls" } }, "max_tool_calls"],
    [{ status: "queued" }, "queued"],
  ])("with %j has the reason %s", (fields, reason) => {
    const parts = openAiResponses.decodeBody({ ...response, ...fields }, target);

    expect(parts.at(-1)).toMatchObject({ type: "finish", reason });
  });

  test.each([
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow down" }, "rate_limit"],
    [
      { type: "response.failed", response: { status: "failed", error: { code: "server_error" } } },
      "overloaded",
    ],
    [
      {
        type: "response.failed",
        response: { error: { code: "context_length_exceeded", message: "Too long" } },
      },
      "context_overflow",
    ],
    [
      {
        type: "response.completed",
        response: { status: "failed", error: { code: "invalid_prompt" } },
      },
      "content_filter",
    ],
  ] as const)("in the middle of a stream %j is the error %s", (event, code) => {
    expect(() => decode(event as Event)).toThrow(expect.objectContaining({ code }));
  });

  test("what stands behind the end is of no interest", () => {
    expect(decodeAll(created, completed, { type: "error", message: "late" })).toHaveLength(2);
  });

  test.each([
    ["a piece of nothing", delta("output_text", 3, "x")],
    ["a piece without a text", { type: "response.output_text.delta", output_index: 0 }],
    ["an item without a place", { type: "response.output_item.done", item: {} }],
    ["an item that is none", done(0, null)],
    ["a call without a name", added(0, { type: "function_call" })],
    ["a response that is none", { type: "response.completed", response: null }],
  ] as const)("%s is an error of the protocol", (_, event) => {
    expect(() => decode(event)).toThrow(expect.objectContaining({ code: "protocol" }));
  });
});

function textsOf(parts: readonly ProviderPart[]): string[] {
  const texts: string[] = [];
  let open = "";
  for (const part of parts) {
    if ("delta" in part) open += part.delta;
    if (!part.type.endsWith("_end")) continue;
    texts.push(open);
    open = "";
  }
  return texts;
}
