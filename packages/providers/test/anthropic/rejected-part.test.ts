import type { ChatMessage, PartReference } from "@capstan/kernel";
import { expect, test } from "vitest";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import { requestOf } from "../request-of.ts";
import { claudeTarget, reply } from "./requests.ts";

const png = { type: "image" as const, mediaType: "image/png", data: "aGk=" };
const text = (value: string) => ({ type: "text" as const, text: value });
const call = (id: string) => ({ type: "tool_call" as const, id, name: "look", input: {} });

const messages: readonly ChatMessage[] = [
  { role: "system", id: "s1", content: "Be brief." },
  { role: "user", id: "u1", content: "Hi" },
  { role: "user", id: "u2", content: [text(" "), text("Look"), png] },
  reply([call("c1"), call("c2")]),
  { role: "user", id: "u3", content: [png] },
  {
    role: "tool",
    id: "c1",
    toolCallId: "c1",
    toolName: "look",
    content: [text(""), text("A sky"), png],
    isError: false,
  },
  { role: "tool", id: "c2", toolCallId: "c2", toolName: "look", content: [png], isError: true },
];

function partAt(path: string): PartReference | undefined {
  const wire = anthropicMessages.encode(requestOf({ messages }), claudeTarget("claude-sonnet-4-5"));
  return wire.partAt?.(path);
}

test.each<[string, PartReference]>([
  ["messages.0.content.2.image.source.base64.data", { messageId: "u2", part: 2 }],
  ["messages[0].content[2].image", { messageId: "u2", part: 2 }],
  ["messages.2.content.0.tool_result.content.1.image.source", { messageId: "c1", part: 2 }],
  ["messages.2.content.0.content.1.image", { messageId: "c1", part: 2 }],
  // Behind the results: the user's image first, then that of the failed result.
  ["messages.2.content.2.image.source", { messageId: "u3", part: 0 }],
  ["messages.2.content.3.image.source", { messageId: "c2", part: 0 }],
])("%s is a part of the conversation", (path, part) => {
  expect(partAt(path)).toEqual(part);
});

test.each([
  "messages.0.content.0.text.cache_control",
  "messages.1.content.0.tool_use.input",
  "messages.2.content.0.tool_result.tool_use_id",
  "messages.9.content.0",
  "messages.0",
  "tools.0.input_schema",
  "system.0.text",
  "",
])("%j is none", (path) => {
  expect(partAt(path)).toBeUndefined();
});
