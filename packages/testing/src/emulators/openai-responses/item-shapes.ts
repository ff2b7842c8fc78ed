/** Items of an input. Items of the vendor's own tools are checked only for their type. */
import { isObject } from "../json.ts";
import {
  anything,
  choice,
  dictionary,
  either,
  flag,
  list,
  nullable,
  object,
  openObject,
  tagged,
  taggedBy,
  text,
} from "../shape.ts";
import type { Shape } from "../shape.ts";
import { typeOf } from "./responses-request.ts";

const type = anything;
const status = nullable(choice("in_progress", "completed", "incomplete"));
const callId = text({ min: 1, max: 64 });
const name = text({ min: 1, max: 128, pattern: /^[a-zA-Z0-9_-]+$/ });
const breakpoint = { prompt_cache_breakpoint: dictionary };
/** The rules for an id depend on its item. */
const id = text({ max: 64 });

const inputParts = {
  input_text: object({ type, text: text() }, breakpoint),
  input_image: object(
    { type },
    {
      detail: nullable(choice("low", "high", "auto", "original")),
      image_url: nullable(text()),
      file_id: nullable(text()),
      ...breakpoint,
    },
  ),
  input_file: object(
    { type },
    {
      detail: choice("auto", "low", "high"),
      file_data: text(),
      file_id: nullable(text()),
      file_url: text(),
      filename: text(),
      ...breakpoint,
    },
  ),
};

const outputParts = {
  output_text: object({ type, text: text() }, { annotations: list(anything), logprobs: anything }),
  refusal: object({ type, refusal: text() }),
};

const phase = nullable(choice("commentary", "final_answer"));

function messageOf(role: Shape, parts: Readonly<Record<string, Shape>>): Shape {
  const content = either(text(), list(tagged("type", parts), { min: 1 }));
  return object({ role, content }, { type, id, status, phase });
}

const ofModel = messageOf(anything, outputParts);
const ofOthers = messageOf(choice("assistant", "system", "developer", "user"), inputParts);

/** The model's messages have other parts than those of users. */
const message: Shape = {
  kinds: ["object"],
  check: (value, path) =>
    (isObject(value) && value["role"] === "assistant" ? ofModel : ofOthers).check(value, path),
};

const call = { id, status, namespace: text(), caller: nullable(dictionary), async: flag };
const output = either(text(), list(tagged("type", inputParts)));

const ownItems = [
  "file_search_call",
  "web_search_call",
  "computer_call",
  "computer_call_output",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "compaction",
  "program",
  "program_output",
];

/** An item without a type is a message, or a reference. */
export const inputItem: Shape = taggedBy(typeOf, {
  message,
  function_call: object({ type, call_id: callId, name, arguments: text() }, call),
  function_call_output: object(
    { type, call_id: callId, output },
    { id, status, caller: nullable(dictionary) },
  ),
  custom_tool_call: object({ type, call_id: callId, name, input: text() }, call),
  custom_tool_call_output: object(
    { type, call_id: callId, output },
    { id, status, caller: nullable(dictionary) },
  ),
  reasoning: object(
    { type, summary: list(tagged("type", { summary_text: object({ type, text: text() }) })) },
    {
      id,
      encrypted_content: nullable(text()),
      content: nullable(list(tagged("type", { reasoning_text: object({ type, text: text() }) }))),
      status,
    },
  ),
  item_reference: object({ id }, { type }),
  ...Object.fromEntries(ownItems.map((kind) => [kind, openObject({ type })])),
});
