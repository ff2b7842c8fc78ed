import type { ChatMessage, ToolMessage } from "@capstan/kernel";
import { expect, test } from "vitest";
import { bodyFor, messagesFor, reply } from "./requests.ts";

const model = "claude-sonnet-4-5";
const user = (content: string): ChatMessage => ({ role: "user", id: `u-${content}`, content });
const say = (text: string): object => ({ type: "text", text });
const call = (id: string) => ({ type: "tool_call" as const, id, name: "look", input: {} });
const result = (id: string, fields: Partial<ToolMessage> = {}): ChatMessage => ({
  role: "tool",
  id,
  toolCallId: id,
  toolName: "look",
  content: "ok",
  isError: false,
  ...fields,
});

const png = { type: "image" as const, mediaType: "image/png", data: "aGk=" };
const pngBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "aGk=" },
};

test("results come first in one message, and what the user said in the meantime comes after them", () => {
  const messages = messagesFor(model, {
    messages: [
      user("Look"),
      reply([call("c1"), call("c2")], { stopReason: "tool-calls" }),
      result("c1"),
      result("c2", { content: "no such file", isError: true }),
      user("Only indoors"),
    ],
  });

  expect(messages).toEqual([
    { role: "user", content: [say("Look")] },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "c1", name: "look", input: {} },
        { type: "tool_use", id: "c2", name: "look", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: "ok" },
        { type: "tool_result", tool_use_id: "c2", content: "no such file", is_error: true },
        say("Only indoors"),
      ],
    },
  ]);
});

test("images and documents go out as what they are", () => {
  const messages = messagesFor(model, {
    messages: [
      {
        role: "user",
        id: "u1",
        content: [
          png,
          { ...png, mediaType: "image/jpg" },
          { type: "document", mediaType: "application/pdf", data: "aGk=", name: "a.pdf" },
          { type: "document", mediaType: "text/markdown", data: "SGVsbG8gw7w=" },
          { type: "text", text: "Compare" },
        ],
      },
    ],
  });

  const pdf = { type: "base64", media_type: "application/pdf", data: "aGk=" };
  const text = { type: "text", media_type: "text/plain", data: "Hello ü" };
  expect(messages).toEqual([
    {
      role: "user",
      content: [
        pngBlock,
        { type: "image", source: { ...pngBlock.source, media_type: "image/jpeg" } },
        { type: "document", source: pdf, title: "a.pdf" },
        { type: "document", source: text },
        say("Compare"),
      ],
    },
  ]);
});

test("what cannot be shown is named", () => {
  const tiff = { type: "image" as const, mediaType: "image/tiff", data: "aGk=" };
  const options = { modelFacts: { input: ["text" as const] } };

  const content = [tiff, png];
  const messages = messagesFor(model, { messages: [{ role: "user", id: "u1", content }], options });

  expect(messages).toEqual([
    {
      role: "user",
      content: [
        say("[an image of type image/tiff is omitted: it cannot be shown to this model]"),
        say("[an image of type image/png is omitted: it cannot be shown to this model]"),
      ],
    },
  ]);
});

test("a failed result contains only text, so its images come after the results", () => {
  const content = [{ type: "text" as const, text: "Out of memory" }, png];
  const messages = messagesFor(model, {
    messages: [user("Look"), reply([call("c1")]), result("c1", { content, isError: true })],
  });

  const failed = { type: "tool_result", tool_use_id: "c1", is_error: true };
  expect(messages).toContainEqual({
    role: "user",
    content: [{ ...failed, content: [say("Out of memory")] }, pngBlock],
  });
});

test("what says nothing is not sent", () => {
  const messages = messagesFor(model, {
    messages: [user("Hi"), reply([{ type: "text", text: "\n" }]), user(" "), user("Still there?")],
  });

  expect(messages).toEqual([{ role: "user", content: [say("Hi"), say("Still there?")] }]);
});

test("a reply that failed is not shown again", () => {
  const failed = reply([{ type: "text", text: "Once upon" }], { stopReason: "error" });

  const messages = messagesFor(model, { messages: [user("Tell"), failed, user("Go on")] });

  expect(messages).toEqual([{ role: "user", content: [say("Tell"), say("Go on")] }]);
});

test("a call without a result gets one, and a result without a call is left out", () => {
  const messages = messagesFor(model, {
    messages: [user("Look"), reply([call("c1")]), result("c9"), user("Go on")],
  });

  const missing = "No result is available for this call.";
  expect(messages).toContainEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "c1", is_error: true, content: missing },
      say("Go on"),
    ],
  });
});

const paused = reply([{ type: "text", text: "So far \n" }], { stopReason: "pause" });

test("a paused reply is the last message, without white space at its end", () => {
  expect(messagesFor(model, { messages: [user("Search"), paused] })).toEqual([
    { role: "user", content: [say("Search")] },
    { role: "assistant", content: [say("So far")] },
  ]);
});

test("newer models are asked to go on with a text", () => {
  expect(messagesFor("claude-opus-5", { messages: [user("Search"), paused] })).toEqual([
    { role: "user", content: [say("Search")] },
    { role: "assistant", content: [say("So far \n")] },
    { role: "user", content: [say("Continue.")] },
  ]);
});

test("what comes after a pause is the same reply", () => {
  const messages = messagesFor(model, {
    messages: [
      user("Search"),
      reply([{ type: "text", text: "So far" }], { stopReason: "pause" }),
      reply([{ type: "text", text: "Found it." }]),
      user("Thanks"),
    ],
  });

  expect(messages).toEqual([
    { role: "user", content: [say("Search")] },
    { role: "assistant", content: [say("So far"), say("Found it.")] },
    { role: "user", content: [say("Thanks")] },
  ]);
});

test("a conversation begins with a user and ends with one", () => {
  const messages = messagesFor(model, { messages: [reply([{ type: "text", text: "Hi" }])] });

  expect(messages).toEqual([
    { role: "user", content: [say("[The beginning of the conversation has been omitted.]")] },
    { role: "assistant", content: [say("Hi")] },
    { role: "user", content: [say("Continue.")] },
  ]);
});

test("a reply that was aborted while it thought leaves nothing", () => {
  const thinking = { type: "thinking" as const, thinking: "Hm", providerData: { signature: "s" } };
  const messages = messagesFor(model, {
    messages: [user("Hi"), reply([thinking], { stopReason: "aborted" }), user("Go on")],
  });

  expect(messages).toEqual([{ role: "user", content: [say("Hi"), say("Go on")] }]);
});

test("the system prompt and the system's first messages are the system's", () => {
  const body = bodyFor(model, {
    messages: [{ role: "system", id: "s1", content: "Be kind." }, user("Hi")],
    options: { systemPrompt: "Be brief." },
  });

  const cache_control = { type: "ephemeral" };
  expect(body.system).toEqual([say("Be brief."), { ...say("Be kind."), cache_control }]);
});

test.each([
  ["claude-opus-4-8", [say("Hi")], [{ role: "system", content: [say("Be kind.")] }]],
  ["claude-sonnet-4-5", [say("Hi"), say("<system>Be kind.</system>")], []],
])("later messages of the system have their place in a request to %s", (target, said, own) => {
  const system: ChatMessage = { role: "system", id: "s1", content: "Be kind." };

  expect(messagesFor(target, { messages: [user("Hi"), system] })).toEqual([
    { role: "user", content: said },
    ...own,
  ]);
});
