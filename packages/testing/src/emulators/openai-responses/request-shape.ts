/** Body of a request to the Responses API, field by field. */
import {
  anything,
  choice,
  decimal,
  dictionary,
  either,
  flag,
  integer,
  list,
  nullable,
  object,
  openObject,
  tagged,
  text,
} from "../shape.ts";
import type { Shape } from "../shape.ts";
import { inputItem } from "./item-shapes.ts";

const type = anything;

const ownTools = [
  "file_search",
  "web_search",
  "web_search_preview",
  "computer",
  "computer_use_preview",
  "code_interpreter",
  "image_generation",
  "local_shell",
  "shell",
  "apply_patch",
  "mcp",
  "custom",
  "namespace",
  "tool_search",
  "programmatic_tool_calling",
];

const tool = tagged("type", {
  function: object(
    { type, name: text({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ }) },
    {
      description: nullable(text()),
      parameters: nullable(dictionary),
      strict: nullable(flag),
      defer_loading: flag,
      async: flag,
      allowed_callers: nullable(list(text())),
      output_schema: nullable(dictionary),
    },
  ),
  ...Object.fromEntries(ownTools.map((kind) => [kind, openObject({ type })])),
});

const toolChoice = either(
  choice("none", "auto", "required"),
  tagged("type", {
    function: object({ type, name: text() }),
    allowed_tools: object({ type, mode: choice("auto", "required"), tools: list(dictionary) }),
    ...Object.fromEntries(ownTools.map((kind) => [kind, openObject({ type })])),
  }),
);

const format = tagged("type", {
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object(
    { type, name: text({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ }), schema: dictionary },
    { description: text(), strict: nullable(flag) },
  ),
});

const includable = choice(
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
);

export const requestShape: Shape = object(
  { model: text({ min: 1 }) },
  {
    input: either(text(), list(inputItem)),
    instructions: nullable(text()),
    include: nullable(list(includable)),
    max_output_tokens: nullable(integer({ min: 16 })),
    max_tool_calls: nullable(integer({ min: 1 })),
    metadata: nullable(dictionary),
    parallel_tool_calls: nullable(flag),
    previous_response_id: nullable(text()),
    prompt_cache_key: nullable(text({ max: 64 })),
    prompt_cache_retention: nullable(choice("in_memory", "24h")),
    prompt_cache_options: dictionary,
    reasoning: nullable(
      object(
        {},
        {
          effort: nullable(choice("none", "minimal", "low", "medium", "high", "xhigh", "max")),
          summary: nullable(choice("auto", "concise", "detailed")),
          generate_summary: nullable(choice("auto", "concise", "detailed")),
          context: nullable(choice("auto", "current_turn", "all_turns")),
          mode: text(),
        },
      ),
    ),
    safety_identifier: nullable(text({ max: 64 })),
    service_tier: nullable(choice("auto", "default", "flex", "scale", "priority")),
    store: nullable(flag),
    stream: nullable(flag),
    stream_options: nullable(dictionary),
    temperature: nullable(decimal({ min: 0, max: 2 })),
    text: nullable(
      object(
        {},
        { format: nullable(format), verbosity: nullable(choice("low", "medium", "high")) },
      ),
    ),
    tool_choice: toolChoice,
    tools: nullable(list(tool, { max: 128 })),
    top_logprobs: nullable(integer({ min: 0, max: 20 })),
    top_p: nullable(decimal({ min: 0, max: 1 })),
    truncation: nullable(choice("auto", "disabled")),
    user: nullable(text()),
    background: nullable(flag),
    context_management: nullable(list(dictionary, { min: 1 })),
    conversation: nullable(either(text(), dictionary)),
    prompt: nullable(dictionary),
    moderation: nullable(dictionary),
  },
);
