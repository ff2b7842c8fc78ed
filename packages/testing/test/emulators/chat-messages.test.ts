import { describe, test } from "vitest";
import {
  call,
  calling,
  expectRefusal,
  fault,
  plain,
  result,
  saying,
  user,
} from "./chat-request.ts";
import type { RefusalRow } from "./chat-request.ts";

const answer = { role: "assistant", content: "Yes" };
const loop = saying(user, calling([call()]), result());

const messages: readonly RefusalRow[] = [
  [
    "no messages",
    { model: "gpt-4.1" },
    fault("Missing required parameter: 'messages'.", "messages", "missing_required_parameter"),
    plain,
  ],
  [
    "an empty list of them",
    saying(),
    fault("Invalid 'messages': empty array. Expected an array", "messages", "empty_array"),
    plain,
  ],
  [
    "messages of another type",
    { ...plain, messages: "Hi" },
    fault(
      "Invalid type for 'messages': expected an array of objects, but got a string instead.",
      "messages",
      "invalid_type",
    ),
    plain,
  ],
  [
    "a message of another type",
    saying("Hi"),
    fault(
      "Invalid type for 'messages[0]': expected an object, but got a string instead.",
      "messages[0]",
      "invalid_type",
    ),
    plain,
  ],
  [
    "no role",
    saying({ content: "Hi" }),
    fault(
      "Missing required parameter: 'messages[0].role'.",
      "messages[0].role",
      "missing_required_parameter",
    ),
    plain,
  ],
  [
    "a role that there is not",
    saying({ role: "model", content: "Hi" }),
    fault(
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      "messages[0].role",
      "invalid_value",
    ),
    saying({ role: "developer", content: "Be brief" }, user),
  ],
  [
    "a content of another type",
    saying({ role: "user", content: 7 }),
    fault(
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead.",
      "messages[0].content",
      "invalid_type",
    ),
    plain,
  ],
  [
    "no content",
    saying({ role: "user" }),
    fault("Invalid value for 'content': expected a string, got null.", "messages.[0].content"),
    saying({ role: "user", content: [] }),
  ],
  [
    "null for the model's text, with nothing instead",
    saying(user, { role: "assistant", content: null }, user),
    fault("Invalid value for 'content': expected a string, got null.", "messages.[1].content"),
    saying(user, { role: "assistant", content: null, refusal: "No" }, user),
  ],
  [
    "calls instead of the user's text",
    saying({ role: "tool", tool_call_id: "call_1", content: null }),
    fault("Invalid value for 'content': expected a string, got null.", "messages.[0].content"),
    loop,
  ],
  [
    "instructions without content",
    saying({ role: "developer" }, user),
    fault(
      "Missing required parameter: 'messages[0].content'.",
      "messages[0].content",
      "missing_required_parameter",
    ),
    saying({ role: "developer", content: "" }, user),
  ],
  [
    "a kind of part that there is not",
    saying({ role: "user", content: [{ type: "input_text", text: "Hi" }] }),
    fault(
      "Invalid value: 'input_text'. Supported values are: 'text', 'refusal', 'image_url',",
      "messages[0].content[0].type",
      "invalid_value",
    ),
    saying({ role: "user", content: [{ type: "text", text: "Hi" }] }),
  ],
  [
    "a field that a part has not",
    saying({ role: "user", content: [{ type: "text", text: "Hi", cache_control: {} }] }),
    fault(
      "Unknown parameter: 'messages[0].content[0].cache_control'.",
      "messages[0].content[0].cache_control",
      "unknown_parameter",
    ),
    saying({ role: "user", content: [{ type: "text", text: "Hi" }] }),
  ],
  [
    "a field that a message has not",
    saying(user, { ...answer, reasoning_content: "Hm" }, user),
    fault(
      "Unknown parameter: 'messages[1].reasoning_content'.",
      "messages[1].reasoning_content",
      "unknown_parameter",
    ),
    saying(user, { ...answer, annotations: [], refusal: null }, user),
  ],
];

const pairs: readonly RefusalRow[] = [
  [
    "a call without its result at the end",
    saying(user, calling([call("a")])),
    fault(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
      "messages",
    ),
    loop,
  ],
  [
    "a call without its result in the middle",
    saying(user, calling([call("a"), call("b")]), result("b"), user),
    fault("did not have response messages: a", "messages.[3].role"),
    saying(user, calling([call("a"), call("b")]), result("b"), result("a"), user),
  ],
  [
    "a result without a call",
    saying(user, result()),
    fault(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      "messages.[1].role",
    ),
    loop,
  ],
  [
    "a result after another message",
    saying(user, calling([call()]), result(), user, result()),
    fault("messages with role 'tool' must be a response", "messages.[4].role"),
    saying(user, calling([call()]), result(), user),
  ],
  [
    "a result of another call",
    saying(user, calling([call()]), result("x")),
    fault(
      "Invalid parameter: 'tool_call_id' of 'x' not found in 'tool_calls' of previous message.",
      "messages.[2].tool_call_id",
    ),
    loop,
  ],
  [
    "no calls in a list of them",
    saying(user, calling([], { content: "Yes" })),
    fault(
      "Invalid 'messages[1].tool_calls': empty array.",
      "messages[1].tool_calls",
      "empty_array",
    ),
    saying(user, answer),
  ],
  [
    "a call without a type",
    saying(
      user,
      calling([{ id: "call_1", function: { name: "echo", arguments: "{}" } }]),
      result(),
    ),
    fault(
      "Missing required parameter: 'messages[1].tool_calls[0].type'.",
      "messages[1].tool_calls[0].type",
      "missing_required_parameter",
    ),
    loop,
  ],
  [
    "a call with the number that it had in a stream",
    saying(user, calling([call("call_1", { index: 0 })]), result()),
    fault(
      "Unknown parameter: 'messages[1].tool_calls[0].index'.",
      "messages[1].tool_calls[0].index",
      "unknown_parameter",
    ),
    loop,
  ],
  [
    "arguments that are an object",
    saying(
      user,
      calling([call("call_1", { function: { name: "echo", arguments: {} } })]),
      result(),
    ),
    fault(
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
      "messages[1].tool_calls[0].function.arguments",
      "invalid_type",
    ),
    loop,
  ],
  [
    "a name with other letters",
    saying(user, calling([call("call_1", { function: { name: "a.b", arguments: "" } })]), result()),
    fault(
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "messages[1].tool_calls[0].function.name",
      "invalid_value",
    ),
    loop,
  ],
  [
    "a long id of a call",
    saying(user, calling([call("c".repeat(41))]), result("c".repeat(41))),
    fault(
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
      "messages[1].tool_calls[0].id",
      "string_above_max_length",
    ),
    saying(user, calling([call("c".repeat(40))]), result("c".repeat(40))),
  ],
  [
    "a result that does not say whose it is",
    saying(user, calling([call()]), { role: "tool", content: "ok" }),
    fault(
      "Missing required parameter: 'messages[2].tool_call_id'.",
      "messages[2].tool_call_id",
      "missing_required_parameter",
    ),
    loop,
  ],
];

describe.each([
  ["for its messages", messages],
  ["for calls and results", pairs],
])("Chat Completions refuses, %s", (_, rows) => {
  test.each(rows)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
