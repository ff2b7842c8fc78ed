import { describe, test } from "vitest";
import { echo, expectRefusal, fault, plain, reasoning } from "./chat-request.ts";
import type { Body, RefusalRow } from "./chat-request.ts";

const newest: Body = { ...reasoning, model: "gpt-5.6-terra" };
function unsupported(param: string, advice = "") {
  const message = `Unsupported parameter: '${param}' is not supported with this model.${advice}`;
  return fault(message, param, "unsupported_parameter");
}

const fields: readonly RefusalRow[] = [
  [
    "no model",
    { messages: plain["messages"] ?? [] },
    fault("you must provide a model parameter", null),
    plain,
  ],
  [
    "a field that older models do not know",
    { ...plain, thinking: {} },
    fault("Unrecognized request argument supplied: thinking", null),
    plain,
  ],
  [
    "a field that newer models do not know",
    { ...newest, thinking: {} },
    fault("Unknown parameter: 'thinking'.", "thinking", "unknown_parameter"),
    newest,
  ],
  [
    "such a field sooner than one of another type",
    { ...newest, n: "two", thinking: {} },
    fault("Unknown parameter: 'thinking'.", "thinking", "unknown_parameter"),
    newest,
  ],
  [
    "a field of another type",
    { ...plain, temperature: "hot" },
    fault(
      "Invalid type for 'temperature': expected a decimal, but got a string instead.",
      "temperature",
      "invalid_type",
    ),
    { ...plain, temperature: 0.5 },
  ],
  [
    "less than one answer",
    { ...plain, n: 0 },
    fault(
      "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
      "n",
      "integer_below_min_value",
    ),
    { ...plain, n: 1 },
  ],
  [
    "too high a temperature",
    { ...plain, temperature: 2.5 },
    fault(
      "Invalid 'temperature': decimal above maximum value.",
      "temperature",
      "decimal_above_max_value",
    ),
    { ...plain, temperature: 2 },
  ],
  [
    "options of a stream without one",
    { ...plain, stream_options: { include_usage: true } },
    fault(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
    ),
    plain,
  ],
  [
    "an option that streams do not have",
    { ...plain, stream: true, stream_options: { usage: true } },
    fault(
      "Unknown parameter: 'stream_options.usage'.",
      "stream_options.usage",
      "unknown_parameter",
    ),
    plain,
  ],
];

const models: readonly RefusalRow[] = [
  [
    "the old limit of a reply, where a model reasons",
    { ...reasoning, max_tokens: 100 },
    unsupported("max_tokens", " Use 'max_completion_tokens' instead."),
    { ...reasoning, max_completion_tokens: 100 },
  ],
  [
    "stop sequences, where a model reasons",
    { ...reasoning, stop: ["."] },
    unsupported("stop"),
    { ...plain, stop: ["."] },
  ],
  [
    "a temperature while a model reasons",
    { ...reasoning, temperature: 0.5 },
    fault(
      "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
      "temperature",
      "unsupported_value",
    ),
    { ...reasoning, temperature: 1 },
  ],
  [
    "a temperature in the o series",
    { ...reasoning, model: "o4-mini", temperature: 0.5 },
    unsupported("temperature"),
    { ...reasoning, model: "gpt-5.4", temperature: 0.5 },
  ],
  [
    "penalties while a model reasons",
    { ...newest, presence_penalty: 1 },
    unsupported("presence_penalty"),
    { ...newest, presence_penalty: 1, reasoning_effort: "none" },
  ],
  [
    "an effort that the model has not",
    { ...newest, reasoning_effort: "max" },
    fault(
      "Unsupported value: 'reasoning_effort' does not support 'max' with this model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.",
      "reasoning_effort",
      "unsupported_value",
    ),
    { ...newest, reasoning_effort: "xhigh" },
  ],
  [
    "an effort of a model that does not reason",
    { ...plain, reasoning_effort: "low" },
    fault("Unrecognized request argument supplied: reasoning_effort", null),
    { ...reasoning, reasoning_effort: "low" },
  ],
  [
    "many words of a model of old",
    { ...plain, verbosity: "high" },
    fault(
      "Unsupported value: 'verbosity' does not support 'high' with this model. Supported values are: 'medium'.",
      "verbosity",
      "unsupported_value",
    ),
    { ...plain, verbosity: "medium" },
  ],
  [
    "functions while a newer model reasons",
    { ...reasoning, model: "gpt-5.4", tools: [echo], reasoning_effort: "low" },
    fault(
      "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
      "reasoning_effort",
    ),
    { ...reasoning, model: "gpt-5.4", tools: [echo] },
  ],
  [
    "functions unless the newest are told not to reason",
    { ...newest, tools: [echo] },
    fault(
      "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      "reasoning_effort",
    ),
    { ...newest, tools: [echo], reasoning_effort: "none" },
  ],
];

describe.each([
  ["for its fields", fields],
  ["for the model", models],
])("Chat Completions refuses, %s", (_, rows) => {
  test.each(rows)("%s", async (...row) => {
    await expectRefusal(row);
  });
});
