import { say } from "@capstan/testing";
import { openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { askOpenAi } from "./exchange.ts";
import { echo, expectRefusal, fault, plain, reasoning } from "./openai-request.ts";
import type { RefusalRow } from "./openai-request.ts";

type Body = RefusalRow[1];

function strict(parameters: Body): Body {
  return { ...plain, tools: [{ ...echo, parameters, strict: true }] };
}

function format(schema: Body): Body {
  return {
    ...plain,
    text: { format: { type: "json_schema", name: "place", schema, strict: true } },
  };
}

const closed = { type: "object", properties: {}, additionalProperties: false };
const city = { city: { type: "string" } };
const place = { ...closed, properties: city, required: ["city"] };

const rows: readonly RefusalRow[] = [
  [
    "no model",
    { input: "Hi" },
    fault("Missing required parameter: 'model'.", "model", "missing_required_parameter"),
    plain,
  ],
  [
    "a model that there is not",
    { ...plain, model: "claude-haiku-4-5" },
    fault("The requested model 'claude-haiku-4-5' does not exist.", "model", "model_not_found"),
    plain,
  ],
  [
    "a parameter that there is not",
    { ...plain, max_tokens: 100 },
    fault("Unknown parameter: 'max_tokens'.", "max_tokens", "unknown_parameter"),
    { ...plain, max_output_tokens: 100 },
  ],
  [
    "a wrong type",
    { ...plain, temperature: "1" },
    fault(
      "Invalid type for 'temperature': expected a decimal, but got a string instead.",
      "temperature",
      "invalid_type",
    ),
    { ...plain, temperature: 1 },
  ],
  [
    "a temperature out of range",
    { ...plain, temperature: 2.5 },
    fault(
      "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
      "temperature",
      "decimal_above_max_value",
    ),
    { ...plain, temperature: 2 },
  ],
  [
    "a temperature for a model that reasons",
    { ...reasoning, temperature: 0.5 },
    fault("Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
    { ...reasoning, temperature: 0.5, reasoning: { effort: "none" } },
  ],
  [
    "top_p for a model that reasons",
    { ...reasoning, top_p: 0.5 },
    fault("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"),
    { ...plain, top_p: 0.5 },
  ],
  [
    "an effort that the model has not",
    { ...reasoning, reasoning: { effort: "minimal" } },
    fault(
      "Unsupported value: 'minimal' is not supported with the 'gpt-5.5' model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.",
      "reasoning.effort",
      "unsupported_value",
    ),
    { ...reasoning, model: "gpt-5", reasoning: { effort: "minimal" } },
  ],
  [
    "an effort that there is not",
    { ...reasoning, reasoning: { effort: "huge" } },
    fault(
      "Invalid value: 'huge'. Supported values are: 'none',",
      "reasoning.effort",
      "invalid_value",
    ),
    { ...reasoning, reasoning: { effort: "high" } },
  ],
  [
    "effort for a model that does not reason",
    { ...plain, reasoning: { effort: "low" } },
    fault(
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      "reasoning.effort",
      "unsupported_parameter",
    ),
    { ...plain, reasoning: { effort: null } },
  ],
  [
    "encrypted reasoning of a model that does not reason",
    { ...plain, include: ["reasoning.encrypted_content"] },
    fault("Encrypted content is not supported with this model.", "include"),
    { ...reasoning, include: ["reasoning.encrypted_content"] },
  ],
  [
    "an include that there is not",
    { ...plain, include: ["everything"] },
    fault(
      "Invalid value: 'everything'. Supported values are: 'file_search_call.results'",
      "include[0]",
      "invalid_value",
    ),
    { ...plain, include: [] },
  ],
  [
    "less output than the least",
    { ...plain, max_output_tokens: 15 },
    fault(
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
      "max_output_tokens",
      "integer_below_min_value",
    ),
    { ...plain, max_output_tokens: 16 },
  ],
  [
    "a long cache key",
    { ...plain, prompt_cache_key: "k".repeat(65) },
    fault(
      "Invalid 'prompt_cache_key': string too long.",
      "prompt_cache_key",
      "string_above_max_length",
    ),
    { ...plain, prompt_cache_key: "k".repeat(64) },
  ],
  [
    "few words from a model that has no such setting",
    { ...plain, text: { verbosity: "low" } },
    fault(
      "Unsupported value: 'low' is not supported with the 'gpt-4.1' model. Supported values are: 'medium'.",
      "text.verbosity",
      "unsupported_value",
    ),
    { ...reasoning, text: { verbosity: "low" } },
  ],
  [
    "a tool's name with other letters",
    { ...plain, tools: [{ ...echo, name: "a.b" }] },
    fault(
      "Invalid 'tools[0].name': string does not match pattern.",
      "tools[0].name",
      "invalid_value",
    ),
    { ...plain, tools: [{ ...echo, name: "a-b" }] },
  ],
  [
    "a tool's name that is too long",
    { ...plain, tools: [{ ...echo, name: "a".repeat(65) }] },
    fault("Invalid 'tools[0].name': string too long.", "tools[0].name", "string_above_max_length"),
    { ...plain, tools: [{ ...echo, name: "a".repeat(64) }] },
  ],
  [
    "a tool in the form of the older API",
    { ...plain, tools: [{ type: "function", function: { name: "echo" } }] },
    fault(
      "Missing required parameter: 'tools[0].name'.",
      "tools[0].name",
      "missing_required_parameter",
    ),
    { ...plain, tools: [echo] },
  ],
  [
    "a tool that takes no object",
    { ...plain, tools: [{ ...echo, parameters: { type: "string" } }] },
    fault(
      `Invalid schema for function 'echo': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
      "tools[0].parameters",
      "invalid_function_parameters",
    ),
    { ...plain, tools: [{ ...echo, parameters: null }] },
  ],
  [
    "a strict tool that takes anything",
    strict({ type: "object", properties: {} }),
    fault(
      "Invalid schema for function 'echo': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      "tools[0].parameters",
      "invalid_function_parameters",
    ),
    strict(closed),
  ],
  [
    "a strict tool with a field that may be left out",
    strict({ ...closed, properties: city }),
    fault(
      "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'city'.",
      "tools[0].parameters",
      "invalid_function_parameters",
    ),
    strict(place),
  ],
  [
    "a strict tool that is open deep inside",
    strict({ ...place, properties: { city: { type: "array", items: { type: "object" } } } }),
    fault(
      "In context=('properties', 'city', 'items'), 'additionalProperties' is required",
      "tools[0].parameters",
      "invalid_function_parameters",
    ),
    strict({ ...place, properties: { city: { type: "array", items: closed } } }),
  ],
  [
    "a strict tool with alternatives of another kind",
    strict({ ...place, properties: { city: { oneOf: [] } } }),
    fault(
      "In context=('properties', 'city'), 'oneOf' is not permitted.",
      "tools[0].parameters",
      "invalid_function_parameters",
    ),
    strict({ ...place, properties: { city: { anyOf: [{ type: "string" }] } } }),
  ],
  [
    "a schema for the answer that takes anything",
    format({ type: "object" }),
    fault(
      "Invalid schema for response_format 'place': In context=(), 'additionalProperties' is required",
      "text.format.schema",
      "invalid_json_schema",
    ),
    format(place),
  ],
  [
    "a schema for the answer without a name",
    { ...plain, text: { format: { type: "json_schema", schema: place } } },
    fault(
      "Missing required parameter: 'text.format.name'.",
      "text.format.name",
      "missing_required_parameter",
    ),
    format(place),
  ],
  [
    "JSON that is not mentioned",
    { ...plain, text: { format: { type: "json_object" } } },
    fault("Response input messages must contain the word 'json'", "input"),
    { ...plain, input: "As JSON, please", text: { format: { type: "json_object" } } },
  ],
  [
    "the choice of a tool that there is not",
    { ...plain, tools: [echo], tool_choice: { type: "function", name: "other" } },
    fault("Tool choice 'other' not found in 'tools' parameter.", "tool_choice"),
    { ...plain, tools: [echo], tool_choice: { type: "function", name: "echo" } },
  ],
  [
    "a call that has to be, without tools",
    { ...plain, tool_choice: "required" },
    fault("Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice"),
    { ...plain, tools: [echo], tool_choice: "required" },
  ],
];

test.each(rows)("the Responses API refuses %s", async (...row) => {
  await expectRefusal(row);
});

test("an input beyond the context window is refused, unless it may be cut", async () => {
  await using emulator = await openAiResponsesEmulator([say("ok"), say("ok")], {
    contextWindow: 100,
  });
  const long = { ...plain, input: "word ".repeat(100) };

  const refused = await askOpenAi(emulator, long);
  const cut = await askOpenAi(emulator, { ...long, truncation: "auto" });
  const short = await askOpenAi(emulator, plain);

  expect(refused.json).toMatchObject({
    error: { code: "context_length_exceeded", param: "input", type: "invalid_request_error" },
  });
  expect([refused.status, cut.status, short.status]).toEqual([400, 200, 200]);
});
