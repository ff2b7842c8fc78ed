import type { JsonValue } from "@capstan/kernel";
import { describe, test } from "vitest";
import {
  call,
  echo,
  expectRefusal,
  image,
  newest,
  plain,
  result,
  talk,
  text,
} from "./anthropic-request.ts";
import type { RefusalRow } from "./anthropic-request.ts";

const conversations: readonly RefusalRow[] = [
  ["no message", { ...plain, messages: [] }, "messages: at least one message is required", plain],
  [
    "a first message that is not the user's",
    {
      ...plain,
      messages: [
        { role: "assistant", content: "Hi" },
        { role: "user", content: "Hi" },
      ],
    },
    'messages: first message must use the "user" role',
    {
      ...plain,
      messages: [
        { role: "user", content: "Hi" },
        { role: "user", content: "Hi" },
      ],
    },
  ],
  [
    "a system message in front",
    {
      ...newest,
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "Hi" },
      ],
    },
    "messages.0: use the top-level 'system' parameter",
    {
      ...newest,
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be brief" },
      ],
    },
  ],
  [
    "a system message for a model of old",
    {
      ...plain,
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: "Be brief" },
      ],
    },
    "messages: role 'system' is not supported on this model",
    { ...plain, system: "Be brief" },
  ],
  [
    "empty content",
    { ...plain, messages: talk("") },
    "messages.0: all messages must have non-empty",
    plain,
  ],
  [
    "no content",
    { ...plain, messages: talk([]) },
    "messages.0: all messages must have non-empty",
    plain,
  ],
  [
    "an empty text",
    { ...plain, messages: talk([text("Hi"), text("")]) },
    "messages: text content blocks must be non-empty",
    { ...plain, messages: talk([text("Hi"), text("you")]) },
  ],
  [
    "an empty text in a tool result",
    {
      ...plain,
      tools: [echo],
      messages: talk(
        "Hi",
        [call()],
        [{ type: "tool_result", tool_use_id: "toolu_1", content: [text("")] }],
      ),
    },
    "messages: text content blocks must be non-empty",
    {
      ...plain,
      tools: [echo],
      messages: talk(
        "Hi",
        [call()],
        [{ type: "tool_result", tool_use_id: "toolu_1", content: "" }],
      ),
    },
  ],
  [
    "a blank text alone",
    { ...plain, messages: talk(" \n") },
    "messages: text content blocks must contain non-whitespace text",
    { ...plain, tools: [echo], messages: talk("Hi", [text(" "), call()], [result()]) },
  ],
  [
    "an empty system block",
    { ...plain, system: [text("")] },
    "system: text content blocks must be non-empty",
    { ...plain, system: "" },
  ],
  [
    "last words that end in a blank",
    { ...plain, messages: talk("Hi", "Well ") },
    "messages: final assistant content cannot end with trailing whitespace",
    { ...plain, messages: talk("Hi", "Well") },
  ],
  [
    "last words for a model that takes none",
    { ...newest, messages: talk("Hi", "Well") },
    "This model does not support assistant message prefill",
    { ...newest, messages: talk("Hi", "Well", "Yes?") },
  ],
  [
    "a picture in a system message",
    {
      ...newest,
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: [image()] },
      ],
    },
    "messages.1.content.0: `image` blocks are not permitted in system messages",
    {
      ...newest,
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: [text("Be brief")] },
      ],
    },
  ],
  [
    "a call in a user's message",
    { ...plain, messages: talk([call()]) },
    "messages.0: `tool_use` blocks can only be in `assistant` messages",
    plain,
  ],
  [
    "a picture in an assistant's message",
    { ...plain, messages: talk("Hi", [image()], "Yes?") },
    "messages.1: `image` blocks can only be in `user` messages",
    { ...plain, messages: talk([image()]) },
  ],
];

const loop = { ...plain, tools: [echo], messages: talk("Hi", [call()], [result()]) };
function failed(content?: JsonValue): JsonValue {
  const head = { type: "tool_result", tool_use_id: "toolu_1", is_error: true };
  return content === undefined ? head : { ...head, content };
}

const pair = talk("Hi", [call("a"), call("b")], [result("a"), result("b")]);

const pairs: readonly RefusalRow[] = [
  [
    "a call without its result",
    { ...loop, messages: talk("Hi", [call()], "And?") },
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each",
    loop,
  ],
  [
    "a call at the end",
    { ...loop, messages: talk("Hi", [call()]) },
    "messages.1: `tool_use` ids were found without",
    loop,
  ],
  [
    "some calls without their results",
    { ...loop, messages: talk("Hi", [call("a"), call("b"), call("c")], [result("b")]) },
    "immediately after: a, c.",
    { ...loop, messages: pair },
  ],
  [
    "a result after other content",
    { ...loop, messages: talk("Hi", [call()], [text("Here"), result()]) },
    "messages.1: `tool_use` ids were found without",
    { ...loop, messages: talk("Hi", [call()], [result(), text("Here")]) },
  ],
  [
    "a result that comes too late",
    { ...loop, messages: talk("Hi", [call()], "And?", "Well", [result()]) },
    "messages.1: `tool_use` ids were found without",
    { ...loop, messages: talk("Hi", [call()], [result()], "Well", "And?") },
  ],
  [
    "a result without its call",
    { ...loop, messages: talk("Hi", "Well", [result("x")]) },
    "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x.",
    loop,
  ],
  [
    "two results for one call",
    { ...loop, messages: talk("Hi", [call()], [result(), result()]) },
    "messages.2.content.1: each tool_use must have a single result.",
    loop,
  ],
  [
    "a failed result that has no content",
    { ...loop, messages: talk("Hi", [call()], [failed()]) },
    "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    { ...loop, messages: talk("Hi", [call()], [failed("No")]) },
  ],
  [
    "a failed result that says nothing",
    { ...loop, messages: talk("Hi", [call()], [failed("")]) },
    "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    { ...loop, messages: talk("Hi", [call()], [failed([text("No")])]) },
  ],
  [
    "a failed result with an empty list",
    { ...loop, messages: talk("Hi", [call()], [failed([])]) },
    "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    loop,
  ],
  [
    "two calls of one id",
    { ...loop, messages: talk("Hi", [call()], [result()], [call()], [result()]) },
    "messages.3.content.0: `tool_use` ids must be unique",
    { ...loop, messages: talk("Hi", [call("a")], [result("a")], [call("b")], [result("b")]) },
  ],
  [
    "an id with other letters",
    { ...loop, messages: talk("Hi", [call("call|1")], [result("call|1")]) },
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    { ...loop, messages: talk("Hi", [call("call-1")], [result("call-1")]) },
  ],
];

describe("the Messages API refuses, for the conversation", () => {
  test.each(conversations)("%s", async (...row) => {
    await expectRefusal(row);
  });
});

describe("the Messages API refuses, for calls and results", () => {
  test.each(pairs)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
