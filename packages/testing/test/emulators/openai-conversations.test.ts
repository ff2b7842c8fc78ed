import { describe, test } from "vitest";
import { call, expectRefusal, fault, output, plain, user } from "./openai-request.ts";
import type { RefusalRow } from "./openai-request.ts";

const loop = { ...plain, input: [user, call(), output()] };
const answer = { role: "assistant", content: [{ type: "output_text", text: "Yes" }] };

const items: readonly RefusalRow[] = [
  [
    "no input",
    { model: "gpt-4.1" },
    fault('One of "input" or "previous_response_id"', "input", "missing_required_parameter"),
    plain,
  ],
  [
    "an empty input",
    { ...plain, input: [] },
    fault('One of "input" or "previous_response_id"', "input", "missing_required_parameter"),
    plain,
  ],
  [
    "an input of another type",
    { ...plain, input: 1 },
    fault(
      "Invalid type for 'input': expected one of a string or array, but got an integer instead.",
      "input",
      "invalid_type",
    ),
    plain,
  ],
  [
    "a type of item that there is not",
    { ...plain, input: [{ type: "tool_use" }] },
    fault(
      "Invalid value: 'tool_use'. Supported values are: 'message', 'function_call',",
      "input[0]",
      "invalid_value",
    ),
    plain,
  ],
  [
    "a role that there is not",
    { ...plain, input: [{ role: "tool", content: "Hi" }] },
    fault(
      "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      "input[0].role",
      "invalid_value",
    ),
    { ...plain, input: [{ role: "developer", content: "Hi" }] },
  ],
  [
    "a message without content",
    { ...plain, input: [{ role: "user" }] },
    fault(
      "Missing required parameter: 'input[0].content'.",
      "input[0].content",
      "missing_required_parameter",
    ),
    { ...plain, input: [user] },
  ],
  [
    "no content",
    { ...plain, input: [{ role: "user", content: [] }] },
    fault(
      "Invalid 'input[0].content': empty array. Expected an array with minimum length 1",
      "input[0].content",
      "empty_array",
    ),
    { ...plain, input: [user] },
  ],
  [
    "null for content",
    { ...plain, input: [{ role: "assistant", content: null }] },
    fault(
      "Invalid type for 'input[0].content': expected one of a string or array, but got null instead.",
      "input[0].content",
      "invalid_type",
    ),
    { ...plain, input: [user] },
  ],
  [
    "the user's parts in what the model said",
    {
      ...plain,
      input: [user, { role: "assistant", content: [{ type: "input_text", text: "Yes" }] }],
    },
    fault(
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      "input[1].content[0]",
      "invalid_value",
    ),
    { ...plain, input: [user, answer] },
  ],
  [
    "the model's parts in what the user said",
    { ...plain, input: [{ role: "user", content: [{ type: "output_text", text: "Hi" }] }] },
    fault(
      "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
      "input[0].content[0]",
      "invalid_value",
    ),
    { ...plain, input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }] },
  ],
  [
    "a field that an item has not",
    { ...plain, input: [{ ...answer, finish_reason: "stop" }] },
    fault(
      "Unknown parameter: 'input[0].finish_reason'.",
      "input[0].finish_reason",
      "unknown_parameter",
    ),
    { ...plain, input: [{ ...answer, phase: "final_answer" }] },
  ],
  [
    "reasoning without a summary",
    { model: "gpt-5.5", input: [user, { type: "reasoning", encrypted_content: "x" }] },
    fault(
      "Missing required parameter: 'input[1].summary'.",
      "input[1].summary",
      "missing_required_parameter",
    ),
    { model: "gpt-5.5", input: [user] },
  ],
];

const pairs: readonly RefusalRow[] = [
  [
    "a call without its output",
    { ...loop, input: [user, call()] },
    fault("No tool output found for function call call_1.", "input"),
    loop,
  ],
  [
    "some calls without their outputs",
    { ...loop, input: [user, call("a"), call("b"), output("b")] },
    fault("No tool output found for function call a.", "input"),
    { ...loop, input: [user, call("a"), call("b"), output("b"), output("a")] },
  ],
  [
    "an output without its call",
    { ...loop, input: [user, output("x")] },
    fault("No tool call found for function call output with call_id x.", "input"),
    loop,
  ],
  [
    "an output before its call",
    { ...loop, input: [user, output(), call()] },
    fault("No tool call found for function call output with call_id call_1.", "input"),
    loop,
  ],
  [
    "two outputs for one call",
    { ...loop, input: [user, call(), output(), output()] },
    fault("No tool call found for function call output with call_id call_1.", "input"),
    loop,
  ],
  [
    "an output of another type",
    {
      ...loop,
      input: [user, call(), { type: "function_call_output", call_id: "call_1", output: {} }],
    },
    fault(
      "Invalid type for 'input[2].output': expected one of a string or array, but got an object instead.",
      "input[2].output",
      "invalid_type",
    ),
    loop,
  ],
  [
    "arguments that are an object",
    { ...loop, input: [user, call("call_1", { arguments: {} }), output()] },
    fault(
      "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
      "input[1].arguments",
      "invalid_type",
    ),
    loop,
  ],
  [
    "a long call id",
    { ...loop, input: [user, call("c".repeat(65)), output("c".repeat(65))] },
    fault(
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      "input[1].call_id",
      "string_above_max_length",
    ),
    { ...loop, input: [user, call("c".repeat(64)), output("c".repeat(64))] },
  ],
  [
    "a name with other letters",
    { ...loop, input: [user, call("call_1", { name: "a.b" }), output()] },
    fault(
      "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "input[1].name",
      "invalid_value",
    ),
    loop,
  ],
  [
    "an id of another kind",
    { ...loop, input: [user, call("call_1", { id: "toolu_1" }), output()] },
    fault(
      "Invalid 'input[1].id': 'toolu_1'. Expected an ID that begins with 'fc'.",
      "input[1].id",
      "invalid_value",
    ),
    { ...loop, input: [user, call("call_1", { id: "fc_1" }), output()] },
  ],
  [
    "an id of a message of another kind",
    { ...plain, input: [user, { ...answer, id: "x" }] },
    fault(
      "Invalid 'input[1].id': 'x'. Expected an ID that begins with 'msg'.",
      "input[1].id",
      "invalid_value",
    ),
    { ...plain, input: [user, { ...answer, id: "msg_1" }] },
  ],
  [
    "an id with other letters",
    { ...plain, input: [user, { ...answer, id: "msg|1" }] },
    fault(
      "Expected an ID that contains letters, numbers, underscores, or dashes",
      "input[1].id",
      "invalid_value",
    ),
    { ...plain, input: [user, { ...answer, id: "msg-1" }] },
  ],
  [
    "two items of one id",
    { ...plain, input: [user, { ...answer, id: "msg_1" }, { ...answer, id: "msg_1" }] },
    fault("Duplicate item found with id msg_1.", "input"),
    { ...plain, input: [user, { ...answer, id: "msg_1" }, { ...answer, id: "msg_2" }] },
  ],
];

describe.each([
  ["for its items", items],
  ["for calls, outputs and ids", pairs],
])("the Responses API refuses, %s", (_, rows) => {
  test.each(rows)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
