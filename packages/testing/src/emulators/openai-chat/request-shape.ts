/** Body of a request to Chat Completions, field by field. */
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
  taggedBy,
  text,
} from "../shape.ts";
import type { Shape } from "../shape.ts";
import type { DialectFields } from "./dialect.ts";

type Fields = Readonly<Record<string, Shape>>;

const type = anything;
const name = text({ min: 1, max: 64, pattern: /^[a-zA-Z0-9_-]+$/ });

/** Some servers have more choices than these. */
export function toolChoiceOf(...choices: readonly string[]): Shape {
  return nullable(
    either(
      choice(...choices),
      taggedBy(({ type: kind }) => (kind === "allowed_tools" ? kind : "named"), {
        named: openObject({ function: openObject({ name: text() }) }),
        allowed_tools: openObject({ allowed_tools: dictionary }),
      }),
    ),
  );
}

const tool = tagged("type", {
  function: object(
    {
      type,
      function: object(
        { name },
        { description: nullable(text()), parameters: nullable(dictionary), strict: nullable(flag) },
      ),
    },
    {},
  ),
  custom: openObject({ type, custom: openObject({ name }) }),
});

const responseFormat = tagged("type", {
  text: object({ type }),
  json_object: object({ type }),
  json_schema: object({
    type,
    json_schema: object(
      { name },
      { description: nullable(text()), schema: nullable(dictionary), strict: nullable(flag) },
    ),
  }),
});

/** Fields that OpenAI itself accepts besides the messages. */
export const openAiFields: Fields = {
  model: text({ min: 1 }),
  audio: nullable(dictionary),
  frequency_penalty: nullable(decimal({ min: -2, max: 2 })),
  function_call: either(text(), openObject({ name: text() })),
  functions: nullable(list(openObject({ name }), { min: 1, max: 128 })),
  logit_bias: nullable(dictionary),
  logprobs: nullable(flag),
  max_completion_tokens: nullable(integer({ min: 1 })),
  max_tokens: nullable(integer({ min: 1 })),
  metadata: nullable(dictionary),
  modalities: nullable(list(choice("text", "audio"))),
  moderation: nullable(openObject({ model: text() })),
  n: nullable(integer({ min: 1, max: 128 })),
  parallel_tool_calls: nullable(flag),
  prediction: nullable(dictionary),
  presence_penalty: nullable(decimal({ min: -2, max: 2 })),
  prompt_cache_key: nullable(text({ max: 64 })),
  prompt_cache_options: nullable(dictionary),
  prompt_cache_retention: nullable(choice("in_memory", "24h")),
  reasoning_effort: nullable(text()),
  response_format: nullable(responseFormat),
  safety_identifier: nullable(text({ max: 64 })),
  seed: nullable(integer()),
  service_tier: nullable(choice("auto", "default", "fast", "flex", "scale", "priority")),
  stop: nullable(either(text(), list(text(), { max: 4 }))),
  store: nullable(flag),
  stream: nullable(flag),
  stream_options: nullable(
    object({}, { include_usage: nullable(flag), include_obfuscation: nullable(flag) }),
  ),
  temperature: nullable(decimal({ min: 0, max: 2 })),
  tool_choice: toolChoiceOf("none", "auto", "required"),
  tools: nullable(list(tool, { min: 1, max: 128 })),
  top_logprobs: nullable(integer({ min: 0, max: 20 })),
  top_p: nullable(decimal({ min: 0, max: 1 })),
  user: nullable(text()),
  verbosity: nullable(choice("low", "medium", "high")),
  web_search_options: nullable(dictionary),
};

/** Tools without OpenAI's rules for their names and number. */
export const looseTools: Shape = nullable(
  list(openObject({ function: openObject({ name: text() }) })),
);

const breakpoint = { prompt_cache_breakpoint: dictionary };

export const openAiParts: Fields = {
  text: object({ type, text: text() }, breakpoint),
  refusal: object({ type, refusal: text() }, breakpoint),
  image_url: object(
    { type, image_url: object({ url: text() }, { detail: choice("auto", "low", "high") }) },
    breakpoint,
  ),
  input_audio: object(
    { type, input_audio: object({ data: text(), format: choice("wav", "mp3") }) },
    breakpoint,
  ),
  file: object(
    {
      type,
      file: object(
        {},
        { file_data: text(), file_id: nullable(text()), filename: nullable(text()) },
      ),
    },
    breakpoint,
  ),
};

/** A content of these parts, or a string. */
export function contentOf(parts: Fields): Shape {
  return either(text(), list(tagged("type", parts)));
}

const callId = text({ min: 1, max: 40 });

const openAiCall: Shape = taggedBy(({ type: kind }) => (kind === "custom" ? kind : "function"), {
  function: object({ id: callId, type, function: object({ name, arguments: text() }) }),
  custom: openObject({ id: callId, type, custom: dictionary }),
});

const openAiContent = nullable(contentOf(openAiParts));
const named = { name: nullable(text()) };
/** Whether there is any content is checked after everything else. */
const ofOthers = object({ role: type }, { content: openAiContent, ...named });

export const openAiMessages: Fields = {
  system: ofOthers,
  assistant: object(
    { role: type },
    {
      content: openAiContent,
      ...named,
      refusal: nullable(text()),
      tool_calls: nullable(list(openAiCall, { min: 1 })),
      function_call: nullable(dictionary),
      audio: nullable(dictionary),
      annotations: nullable(list(anything)),
    },
  ),
  user: ofOthers,
  function: ofOthers,
  tool: object({ role: type, tool_call_id: callId }, { content: openAiContent, ...named }),
  developer: object({ role: type, content: contentOf(openAiParts) }, named),
};

/** For servers that check little and ignore the rest. */
export const looseMessages: Fields = looseMessagesOf(anything);

export function looseMessagesOf(content: Shape): Fields {
  const call = openObject({ function: openObject({ name: text() }) });
  const message = openObject({ role: type }, { content: nullable(content) });
  return {
    system: message,
    developer: message,
    user: message,
    assistant: openObject(
      { role: type },
      { content: nullable(content), tool_calls: nullable(list(call)) },
    ),
    tool: message,
  };
}

/** Body that a server of this dialect accepts. */
export function requestShape({ ignoresUnknown, request, messages }: DialectFields): Shape {
  const build = ignoresUnknown ? openObject : object;
  const { model = text(), ...optional } = request;
  return build({ model, messages: list(tagged("role", messages), { min: 1 }) }, optional);
}
