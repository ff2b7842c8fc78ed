import type { AssistantPart, ChatMessage, ToolMessage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { askedWith, origin, reply, tool } from "./models.ts";

const hello: ChatMessage = { role: "user", id: "u1", content: "Hello" };
const user = (text: string): ChatMessage => ({ role: "user", id: "u", content: text });
const call: AssistantPart = { type: "tool_call", id: "k1", name: "echo", input: { a: 1 } };
const result: ToolMessage = {
  role: "tool",
  id: "k1",
  toolCallId: "k1",
  toolName: "echo",
  content: "Done",
  isError: false,
};
const options = { vendor: { signature: "s" } };
const providerData = { providerOptions: options };

async function promptFor(messages: readonly ChatMessage[]) {
  const asked = await askedWith({ messages, tools: [tool] });
  return asked.prompt;
}

test("a reply goes back to the model that made it with all that it kept", async () => {
  const parts: readonly AssistantPart[] = [
    { type: "thinking", thinking: "Hm", providerData },
    { type: "text", text: "Looking.", providerData },
    { ...call, providerData: { id: "call_abc", ...providerData } },
    { type: "native", data: { type: "custom", kind: "vendor.note", ...providerData } },
    {
      type: "native",
      data: {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: "https://a.example/b.png" },
      },
    },
  ];

  const prompt = await promptFor([hello, reply(parts, { stopReason: "tool-calls" }), result]);

  expect(prompt.slice(1)).toEqual([
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm", providerOptions: options },
        { type: "text", text: "Looking.", providerOptions: options },
        {
          type: "tool-call",
          toolCallId: "call_abc",
          toolName: "echo",
          input: { a: 1 },
          providerOptions: options,
        },
        { type: "custom", kind: "vendor.note", providerOptions: options },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "url", url: new URL("https://a.example/b.png") },
        },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "call_abc",
          toolName: "echo",
          output: { type: "text", value: "Done" },
        },
      ],
    },
  ]);
});

test.each([
  ["another model", { ...origin, model: "m-2" }],
  ["another provider", { ...origin, provider: "other.chat" }],
  ["another way to the same model", { ...origin, api: "openai-chat" }],
  ["an unknown origin", undefined],
])("of a reply of %s there are the words, and calls with ids of ours", async (_, made) => {
  const { origin: _origin, ...foreign } = reply(
    [
      { type: "thinking", thinking: "Hm", providerData },
      { type: "text", text: "Looking.", providerData },
      { type: "refusal", text: "Not that." },
      { ...call, providerData: { id: "call_abc", ...providerData } },
      { type: "native", data: { type: "custom", kind: "vendor.note", ...providerData } },
    ],
    { stopReason: "tool-calls" },
  );

  const prompt = await promptFor([hello, { ...foreign, ...(made && { origin: made }) }, result]);

  expect(prompt[1]).toEqual({
    role: "assistant",
    content: [
      { type: "text", text: "Looking." },
      { type: "text", text: "Not that." },
      { type: "tool-call", toolCallId: "k1", toolName: "echo", input: { a: 1 } },
    ],
  });
});

test("what sources a reply has had, and what it wanted approved, stays here", async () => {
  const source = { type: "source", sourceType: "url", id: "s", url: "https://a.example" };
  const approval = { type: "tool-approval-request", approvalId: "a", toolCallId: "c" };
  const said = reply([
    { type: "native", data: source },
    { type: "native", data: approval },
    { type: "text", text: "So they say." },
  ]);

  const prompt = await promptFor([hello, said, user("Really?")]);

  expect(prompt[1]).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "So they say." }],
  });
});

const search: AssistantPart = {
  type: "tool_call",
  id: "k2",
  name: "search",
  input: {},
  isProviderExecuted: true,
  providerData: { id: "ws_1" },
};
const found: AssistantPart = {
  type: "native",
  data: {
    type: "tool-result",
    toolCallId: "ws_1",
    toolName: "search",
    output: { type: "json", value: [1] },
  },
};

test.each([
  ["with its result", [search, found], "stop", ["tool-call", "tool-result", "text"]],
  ["that still runs, because the reply was paused", [search], "pause", ["tool-call", "text"]],
  ["without its result", [search], "length", ["text"]],
  ["that is gone, so its result goes too", [found], "stop", ["text"]],
] as const)("a call that the provider ran %s", async (_, parts, stopReason, wanted) => {
  const said = reply([...parts, { type: "text", text: "Well." }], { stopReason });

  const [, back] = await promptFor([hello, said, user("And?")]);

  expect(back?.role === "assistant" && back.content.map(({ type }) => type)).toEqual(wanted);
});

test("thinking that nothing came of does not go back", async () => {
  const idle = reply([{ type: "thinking", thinking: "Hm", providerData }]);

  expect(await promptFor([hello, idle, user("Go on")])).toHaveLength(2);
});

test("of an interrupted reply there are the words, since its vendor may not have kept the rest", async () => {
  const cut = reply(
    [
      { type: "thinking", thinking: "Hm", providerData },
      { type: "text", text: "Once", providerData },
    ],
    { stopReason: "aborted" },
  );

  const [, back] = await promptFor([hello, cut, user("Go on")]);

  expect(back).toEqual({ role: "assistant", content: [{ type: "text", text: "Once" }] });
});

test("every call has a result right after its reply, and no result lacks a call", async () => {
  const two: AssistantPart = { ...call, id: "k2" };
  const stray: ToolMessage = { ...result, id: "k9", toolCallId: "k9" };

  const prompt = await promptFor([hello, stray, reply([call, two]), result, user("And?")]);

  expect(prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(prompt[2]).toMatchObject({
    content: [
      { toolCallId: "k1", output: { type: "text", value: "Done" } },
      {
        toolCallId: "k2",
        output: { type: "error-text", value: "No result is available for this call." },
      },
    ],
  });
});

test("ids and names that no vendor takes are made to fit, the same for a call and its result", async () => {
  const odd: AssistantPart = { ...call, id: "call/1", name: "never.was", input: [1] };

  const prompt = await promptFor([
    hello,
    { role: "assistant", id: "a", content: [odd], stopReason: "tool-calls" },
    { ...result, id: "call/1", toolCallId: "call/1", isError: true },
  ]);

  const toolCallId = expect.stringMatching(/^call1[a-f0-9]{12}$/) as string;
  const toolName = "never_was";
  expect(prompt.slice(1)).toMatchObject([
    { content: [{ type: "tool-call", toolCallId, toolName, input: { input: [1] } }] },
    { content: [{ type: "tool-result", toolCallId, toolName, output: { type: "error-text" } }] },
  ]);
});

test("the conversation begins and ends on the user's side, with the system's words first", async () => {
  const note: ChatMessage = { role: "system", id: "s", content: "Be kind." };
  const said = reply([{ type: "text", text: "Hi" }]);

  const prompt = await promptFor([note, said, note, said]);

  const begun = "[The beginning of the conversation has been omitted.]";
  expect(prompt).toMatchObject([
    { role: "system", content: "Be kind." },
    { role: "user", content: [{ text: begun }] },
    { role: "assistant" },
    { role: "user", content: [{ text: "<system>Be kind.</system>" }] },
    { role: "assistant" },
    { role: "user", content: [{ text: "Continue." }] },
  ]);
});

test("a reply that paused for a tool of its vendor is gone on with as it is", async () => {
  const prompt = await promptFor([hello, reply([search], { stopReason: "pause" })]);

  expect(prompt.at(-1)).toMatchObject({ role: "assistant", content: [{ providerExecuted: true }] });
});

test("a conversation without a word is not sent, and the error says why", async () => {
  await expect(promptFor([user(" ")])).rejects.toThrow(
    "Nothing to send to mock.chat: all messages are empty",
  );
});
