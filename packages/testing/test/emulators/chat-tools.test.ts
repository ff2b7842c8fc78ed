import type { JsonValue } from "@capstan/kernel";
import { describe, test } from "vitest";
import { echo, expectRefusal, fault, plain, saying } from "./chat-request.ts";
import type { Body, RefusalRow } from "./chat-request.ts";

const format = (schema: JsonValue): JsonValue => ({
  type: "json_schema",
  json_schema: { name: "place", strict: true, schema },
});
const closed = { type: "object", properties: {}, required: [], additionalProperties: false };

function tool(declared: Body): JsonValue {
  return [{ type: "function", function: { name: "echo", ...declared } }];
}

const tools: readonly RefusalRow[] = [
  [
    "no tools in a list of them",
    { ...plain, tools: [] },
    fault("Invalid 'tools': empty array.", "tools", "empty_array"),
    plain,
  ],
  [
    "too many tools",
    { ...plain, tools: Array.from({ length: 129 }, () => echo) },
    fault(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
      "tools",
      "array_above_max_length",
    ),
    { ...plain, tools: Array.from({ length: 128 }, () => echo) },
  ],
  [
    "a name with other letters",
    { ...plain, tools: tool({ name: "a.b" }) },
    fault(
      "Invalid 'tools[0].function.name': string does not match pattern.",
      "tools[0].function.name",
      "invalid_value",
    ),
    { ...plain, tools: tool({ name: "a-b" }) },
  ],
  [
    "a tool in the form of the Responses API",
    { ...plain, tools: [{ type: "function", name: "echo" }] },
    fault(
      "Missing required parameter: 'tools[0].function'.",
      "tools[0].function",
      "missing_required_parameter",
    ),
    { ...plain, tools: tool({}) },
  ],
  [
    "parameters that are no object",
    { ...plain, tools: tool({ parameters: { type: "string" } }) },
    fault(
      `Invalid schema for function 'echo': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ),
    { ...plain, tools: tool({ parameters: { type: "object" } }) },
  ],
  [
    "strict parameters that are open",
    { ...plain, tools: tool({ strict: true, parameters: { type: "object", properties: {} } }) },
    fault(
      "'additionalProperties' is required to be supplied and to be false",
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ),
    { ...plain, tools: tool({ strict: true, parameters: closed }) },
  ],
  [
    "a choice of a tool that there is not",
    { ...plain, tools: [echo], tool_choice: { type: "function", function: { name: "look" } } },
    fault(
      "Invalid value for 'function_call': no function named 'look' was specified in the 'functions' parameter.",
      "function_call",
    ),
    { ...plain, tools: [echo], tool_choice: { type: "function", function: { name: "echo" } } },
  ],
  [
    "a choice without tools",
    { ...plain, tool_choice: "auto" },
    fault(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "tool_choice",
    ),
    { ...plain, tools: [echo], tool_choice: "auto" },
  ],
  [
    "calls one by one without tools",
    { ...plain, parallel_tool_calls: false },
    fault(
      "'parallel_tool_calls' is only allowed when 'tools' are specified.",
      "parallel_tool_calls",
    ),
    { ...plain, tools: [echo], parallel_tool_calls: false },
  ],
  [
    "a choice that there is not",
    { ...plain, tools: [echo], tool_choice: "any" },
    fault(
      "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
      "tool_choice",
      "invalid_value",
    ),
    { ...plain, tools: [echo], tool_choice: "required" },
  ],
  [
    "a strict format that is open",
    { ...plain, response_format: format({ type: "object", properties: {} }) },
    fault(
      "Invalid schema for response_format 'place': In context=(), 'additionalProperties' is required",
      "response_format",
    ),
    { ...plain, response_format: format(closed) },
  ],
  [
    "a format without a schema",
    { ...plain, response_format: { type: "json_schema" } },
    fault(
      "Missing required parameter: 'response_format.json_schema'.",
      "response_format.json_schema",
      "missing_required_parameter",
    ),
    { ...plain, response_format: { type: "text" } },
  ],
  [
    "JSON that is not mentioned",
    { ...plain, response_format: { type: "json_object" } },
    fault(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      "messages",
    ),
    {
      ...saying({ role: "user", content: "Say it in JSON" }),
      response_format: { type: "json_object" },
    },
  ],
];

describe("Chat Completions refuses, for tools and formats,", () => {
  test.each(tools)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
