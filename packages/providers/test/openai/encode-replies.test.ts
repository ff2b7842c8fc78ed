import type { AssistantPart, ChatMessage, ToolMessage } from "@capstan/kernel";
import { describe, expect, test } from "vitest";
import { bodyFor, gptOrigin, reply } from "./requests.ts";

const user: ChatMessage = { role: "user", id: "u1", content: "Hello" };
const thinking: AssistantPart = {
  type: "thinking",
  thinking: "Hm",
  providerData: { id: "rs_1", encrypted_content: "sealed" },
};
const text: AssistantPart = {
  type: "text",
  text: "Hi",
  providerData: { id: "msg_1", phase: "commentary" },
};
const call: AssistantPart = {
  type: "tool_call",
  id: "our_call",
  name: "weather",
  input: { city: "Oslo" },
  providerData: { id: "call_1", itemId: "fc_1" },
};
const searchItem = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
const search: AssistantPart = {
  type: "tool_call",
  id: "s",
  name: "web_search",
  input: {},
  isProviderExecuted: true,
  providerData: { item: searchItem },
};
const native: AssistantPart = { type: "native", data: { type: "compaction", id: "cmp_1" } };
const result: ToolMessage = {
  role: "tool",
  id: "our_call",
  toolCallId: "our_call",
  toolName: "weather",
  content: "Cold",
  isError: false,
};

/** The input a model gets for these messages, without the user's first. */
function inputFor(model: string, ...messages: readonly ChatMessage[]): readonly unknown[] {
  return bodyFor(model, { messages: [user, ...messages] }).input.slice(1);
}

describe("a reply that goes back to its model", () => {
  test("has its reasoning, its texts, its calls and their ids", () => {
    expect(inputFor("gpt-5.5", reply([thinking, text, call]), result)).toEqual([
      {
        type: "reasoning",
        id: "rs_1",
        encrypted_content: "sealed",
        summary: [{ type: "summary_text", text: "Hm" }],
      },
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        status: "completed",
        phase: "commentary",
        content: [{ type: "output_text", text: "Hi", annotations: [] }],
      },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Oslo"}',
      },
      { type: "function_call_output", call_id: "call_1", output: "Cold" },
    ]);
  });

  test("has texts and refusals of one message in one item", () => {
    const refusal = { type: "refusal", text: "No", providerData: { id: "msg_1" } } as const;

    expect(inputFor("gpt-5.5", reply([text, refusal]))).toMatchObject([
      { id: "msg_1", content: [{ type: "output_text" }, { type: "refusal", refusal: "No" }] },
    ]);
  });

  test("has what the vendor ran, as it came", () => {
    expect(inputFor("gpt-5.5", reply([search, native]))).toEqual([
      searchItem,
      { type: "compaction", id: "cmp_1" },
    ]);
  });

  test("leaves out calls that want a result of a kind of their own", () => {
    const shell: AssistantPart = { type: "native", data: { type: "local_shell_call", id: "l" } };

    expect(inputFor("gpt-5.5", reply([thinking, shell]))).toEqual([]);
  });

  test("has the call of a tool for free text, and its result, as such", () => {
    const custom: AssistantPart = {
      ...call,
      input: "print(1)",
      providerData: { id: "call_1", itemId: "ctc_1", type: "custom_tool_call" },
    };

    expect(inputFor("gpt-5.5", reply([custom]), result)).toMatchObject([
      { type: "custom_tool_call", id: "ctc_1", input: "print(1)" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "Cold" },
    ]);
  });
});

describe("reasoning and the item that follows it", () => {
  test.each<[string, readonly AssistantPart[]]>([
    ["nothing follows", [thinking]],
    ["only an empty text follows", [thinking, { ...text, text: " " }]],
  ])("a reasoning is left out where %s", (_, content) => {
    expect(inputFor("gpt-5.5", reply(content))).toEqual([]);
  });

  test("what was said by an item is said without its id where the reasoning is not sealed", () => {
    const open: AssistantPart = { ...thinking, providerData: { id: "rs_1" } };

    expect(inputFor("gpt-5.5", reply([open, text, call]), result)).toEqual([
      { type: "message", role: "assistant", content: "Hi", phase: "commentary" },
      {
        type: "function_call",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Oslo"}',
      },
      { type: "function_call_output", call_id: "call_1", output: "Cold" },
    ]);
  });

  test("a reply that was broken off goes back without either", () => {
    const broken = reply([thinking, { type: "text", text: "Hi th" }], { stopReason: "aborted" });

    expect(inputFor("gpt-5.5", broken)).toEqual([
      { type: "message", role: "assistant", content: "Hi th" },
    ]);
  });

  test("another model of the vendor gets the words, and no reasoning and no ids", () => {
    const items = inputFor("gpt-5.4", reply([thinking, text, call]), result);

    expect(items).toMatchObject([
      { role: "assistant", content: "Hi" },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1" },
    ]);
    expect(items.filter((item) => Object.hasOwn(item as object, "id"))).toEqual([]);
  });

  test("a model of another maker gets nothing of the vendor's own", () => {
    const claude = { provider: "anthropic", api: "anthropic-messages", model: "claude-opus-5" };

    const items = inputFor("gpt-5.5", reply([thinking, text, call], { origin: claude }), result);

    expect(items).toEqual([
      { type: "message", role: "assistant", content: "Hi" },
      {
        type: "function_call",
        call_id: "our_call",
        name: "weather",
        arguments: '{"city":"Oslo"}',
      },
      { type: "function_call_output", call_id: "our_call", output: "Cold" },
    ]);
  });

  test("another service of the same protocol gets nothing that the first one ran", () => {
    const origin = { ...gptOrigin("gpt-5.5"), provider: "house" };

    const items = inputFor("gpt-5.5", reply([search, native, text], { origin }));

    expect(items).toEqual([{ type: "message", role: "assistant", content: "Hi" }]);
  });

  test("a reasoning of several texts goes back in these", () => {
    const summary = [
      { type: "summary_text", text: "One" },
      { type: "summary_text", text: "Two" },
    ];
    const providerData = { id: "rs_1", encrypted_content: "sealed", summary };

    expect(
      inputFor(
        "gpt-5.5",
        reply([{ type: "thinking", thinking: "One\n\nTwo", providerData }, text]),
      ),
    ).toMatchObject([{ summary }, { id: "msg_1" }]);
  });
});

describe("a transcript that is not whole", () => {
  test("an unanswered call has a result all the same", () => {
    const later: ChatMessage = { role: "user", id: "u2", content: "And?" };

    expect(inputFor("gpt-5.5", reply([call]), later)).toMatchObject([
      { type: "function_call" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: expect.stringContaining("No result"),
      },
      { role: "user" },
    ]);
  });

  test("a result without a call, and a failed reply, are left out", () => {
    const failed = reply([text], { stopReason: "error" });

    expect(inputFor("gpt-5.5", failed, result)).toEqual([]);
  });

  test("a call with arguments that were no JSON has none", () => {
    const malformed = { ...call, input: {}, malformedInput: '{"city":' };

    expect(inputFor("gpt-5.5", reply([malformed]), result)[0]).toMatchObject({ arguments: "{}" });
  });

  test("a longer conversation begins with the same items", () => {
    const turn = [reply([thinking, text, call]), result];
    const more = reply([{ ...text, providerData: { id: "msg_2" } }], {
      id: "a2",
      origin: gptOrigin("gpt-5.5"),
    });

    const shorter = inputFor("gpt-5.5", ...turn);
    const longer = inputFor("gpt-5.5", ...turn, more);

    expect(JSON.stringify(longer).startsWith(JSON.stringify(shorter).slice(0, -1))).toBe(true);
  });
});
