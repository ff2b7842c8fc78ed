import { test } from "vitest";
import {
  call,
  echo,
  expectRefusal,
  newest,
  plain,
  result,
  talk,
  text,
} from "./anthropic-request.ts";
import type { RefusalRow } from "./anthropic-request.ts";

const thinking = { type: "enabled", budget_tokens: 1024 };
const adaptive = { type: "adaptive" };
const thoughtful = { ...plain, thinking };
const both = { ...plain, model: "claude-opus-4-6" };

const rows: readonly RefusalRow[] = [
  [
    "more output than the model has",
    { ...plain, max_tokens: 64_001 },
    "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5",
    { ...newest, max_tokens: 64_001 },
  ],
  [
    "a budget below the least",
    { ...plain, thinking: { ...thinking, budget_tokens: 1023 } },
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    thoughtful,
  ],
  [
    "a budget that leaves nothing to say",
    { ...thoughtful, max_tokens: 1024 },
    "`max_tokens` must be greater than `thinking.budget_tokens`",
    { ...thoughtful, max_tokens: 1025 },
  ],
  [
    "a budget for a model that has none",
    { ...newest, thinking },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"',
    { ...newest, thinking: adaptive },
  ],
  [
    "adaptive thinking for a model of old",
    { ...plain, thinking: adaptive },
    "adaptive thinking is not supported on this model",
    { ...both, thinking: adaptive },
  ],
  [
    "no thinking for a model that always thinks",
    { ...newest, thinking: { type: "disabled" } },
    '"thinking.type.disabled" is not supported for this model.',
    { ...newest, model: "claude-sonnet-5", thinking: { type: "disabled" } },
  ],
  [
    "thinking for a model that cannot",
    { ...thoughtful, model: "claude-3-5-sonnet-20240620" },
    "'claude-3-5-sonnet-20240620' does not support thinking.",
    { ...plain, model: "claude-3-5-sonnet-20240620" },
  ],
  [
    "effort for a model without",
    { ...plain, output_config: { effort: "low" } },
    "This model does not support the effort parameter.",
    { ...newest, output_config: { effort: "low" } },
  ],
  [
    "an effort that the model has not",
    { ...both, output_config: { effort: "xhigh" } },
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    { ...both, output_config: { effort: "max" } },
  ],
  [
    "much effort without thinking",
    {
      ...plain,
      model: "claude-opus-5",
      thinking: { type: "disabled" },
      output_config: { effort: "max" },
    },
    "output_config.effort 'max' is not supported when thinking is disabled",
    {
      ...plain,
      model: "claude-opus-5",
      thinking: { type: "disabled" },
      output_config: { effort: "high" },
    },
  ],
  [
    "a temperature beside thinking",
    { ...thoughtful, temperature: 0.5 },
    "`temperature` may only be set to 1 when thinking is enabled",
    { ...thoughtful, temperature: 1 },
  ],
  [
    "top_k beside thinking",
    { ...thoughtful, top_k: 5 },
    "`top_k` must be unset",
    { ...plain, top_k: 5 },
  ],
  [
    "a low top_p beside thinking",
    { ...thoughtful, top_p: 0.5 },
    "`top_p` must be greater than or equal to 0.95",
    { ...thoughtful, top_p: 0.95 },
  ],
  [
    "a temperature for a model that has none",
    { ...newest, temperature: 0.5 },
    "`temperature` is deprecated for this model.",
    { ...newest, temperature: 1 },
  ],
  [
    "temperature and top_p at once",
    { ...plain, temperature: 0.5, top_p: 0.5 },
    "`temperature` and `top_p` cannot both be specified",
    { ...plain, temperature: 0.5 },
  ],
  [
    "a temperature out of range",
    { ...plain, temperature: 1.5 },
    "temperature: Input should be less than or equal to 1",
    { ...plain, temperature: 0 },
  ],
  [
    "two tools of one name",
    { ...plain, tools: [echo, echo] },
    "tools: Tool names must be unique.",
    { ...plain, tools: [echo] },
  ],
  [
    "a tool's name with other letters",
    { ...plain, tools: [{ ...echo, name: "a.b" }] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    { ...plain, tools: [{ ...echo, name: "a-b" }] },
  ],
  [
    "a tool without a schema",
    { ...plain, tools: [{ name: "echo" }] },
    "tools.0.custom.input_schema: Field required",
    { ...plain, tools: [echo] },
  ],
  [
    "a tool that takes no object",
    { ...plain, tools: [{ name: "echo", input_schema: { type: "string" } }] },
    "tools.0.custom.input_schema.type: Input should be 'object'",
    { ...plain, tools: [echo] },
  ],
  [
    "a union at the top of a schema",
    { ...plain, tools: [{ name: "echo", input_schema: { type: "object", anyOf: [] } }] },
    "input_schema does not support oneOf, allOf, or anyOf at the top level",
    { ...plain, tools: [echo] },
  ],
  [
    "a strict tool that takes anything",
    { ...plain, tools: [{ ...echo, strict: true }] },
    "'additionalProperties' must be explicitly set to false",
    {
      ...plain,
      tools: [
        {
          name: "echo",
          strict: true,
          input_schema: { type: "object", additionalProperties: false },
        },
      ],
    },
  ],
  [
    "a choice of tools without tools",
    { ...plain, tool_choice: { type: "auto" } },
    "tool_choice may only be specified while providing tools.",
    { ...plain, tools: [echo], tool_choice: { type: "auto" } },
  ],
  [
    "the choice of a tool that there is not",
    { ...plain, tools: [echo], tool_choice: { type: "tool", name: "other" } },
    "Tool 'other' not found in provided tools",
    { ...plain, tools: [echo], tool_choice: { type: "tool", name: "echo" } },
  ],
  [
    "a forced tool beside thinking",
    { ...thoughtful, tools: [echo], tool_choice: { type: "any" } },
    "Thinking may not be enabled when tool_choice forces tool use.",
    { ...thoughtful, tools: [echo], tool_choice: { type: "auto" } },
  ],
  [
    "a forced tool for a model that takes none",
    { ...newest, tools: [echo], tool_choice: { type: "any" } },
    'tool_choice: type "tool" and "any" are not supported for this model.',
    { ...newest, tools: [echo], tool_choice: { type: "none" } },
  ],
  [
    "a schema for the answer that takes anything",
    { ...plain, output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
    "output_config.format.schema: For 'object' type, 'additionalProperties' must",
    {
      ...plain,
      output_config: {
        format: { type: "json_schema", schema: { type: "array", items: { type: "string" } } },
      },
    },
  ],
  [
    "a schema for the answer with limits",
    {
      ...plain,
      output_config: {
        format: { type: "json_schema", schema: { type: "integer", minimum: 1, maximum: 2 } },
      },
    },
    "output_config.format.schema: For 'integer' type, properties maximum, minimum are not supported",
    { ...plain, output_config: { format: { type: "json_schema", schema: { type: "integer" } } } },
  ],
  [
    "a loop of tools that lost its thinking",
    { ...thoughtful, tools: [echo], messages: talk("Hi", [call()], [result()]) },
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    { ...thoughtful, tools: [echo], messages: talk("Hi", [call()], [result(), text("And?")]) },
  ],
  [
    "a blank stop sequence",
    { ...plain, stop_sequences: [" "] },
    "stop_sequences: each stop sequence must contain non-whitespace",
    { ...plain, stop_sequences: ["!"] },
  ],
];

test.each(rows)("the Messages API refuses %s", async (...row) => {
  await expectRefusal(row);
});
