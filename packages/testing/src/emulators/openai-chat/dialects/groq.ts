/** Groq: its own messages for invalid shapes, usage in another field, and errors as events of a stream. */
import { Refusal } from "../../refusal.ts";
import {
  anything,
  choice,
  dictionary,
  flag,
  integer,
  list,
  nullable,
  object,
  openObject,
  text,
  toDottedPath,
} from "../../shape.ts";
import type { ShapeIssue } from "../../shape.ts";
import type { ChatDialect, DialectWords } from "../dialect.ts";
import { contentOf, looseTools, openAiFields, openAiParts } from "../request-shape.ts";
import { openAiChatFailures, openAiQuirks } from "./openai.ts";

const type = anything;
const content = nullable(contentOf(openAiParts));
const name = { name: nullable(text()) };
const call = object(
  { id: text(), type: choice("function"), function: object({ name: text(), arguments: text() }) },
  { index: integer() },
);

const words: DialectWords = {
  toShapeRefusal: (issue) => new Refusal(toFault(issue)),
  noKey: () => new Refusal("Invalid API Key", { status: 401, code: "invalid_api_key" }),
  wrongKey: () => new Refusal("Invalid API Key", { status: 401, code: "invalid_api_key" }),
  unknownModel: (model) =>
    new Refusal(`The model \`${model}\` does not exist or you do not have access to it.`, {
      status: 404,
      code: "model_not_found",
    }),
  tooLong: () =>
    new Refusal("Please reduce the length of the messages or completion.", {
      param: "messages",
      code: "context_length_exceeded",
    }),
  failures: {
    ...openAiChatFailures,
    auth: { status: 401, code: "invalid_api_key", message: "Invalid API Key" },
    rate_limit: {
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      message: "Rate limit reached for model on tokens per minute (TPM). Please try again in 1s.",
    },
    overloaded: {
      status: 503,
      type: "internal_server_error",
      message: "Service Unavailable",
    },
    context_overflow: {
      param: "messages",
      code: "context_length_exceeded",
      message: "Please reduce the length of the messages or completion.",
    },
    invalid_request: {
      code: "tool_use_failed",
      message: "Failed to call a function. Please adjust your prompt.",
    },
  },
  errorBody: ({ message, type: kind, param, code }) => ({
    error: {
      message,
      type: kind,
      ...(param !== null && { param }),
      ...(code !== null && { code }),
    },
  }),
};

export const groq: ChatDialect = {
  name: "the Groq emulator",
  basePath: "/openai/v1",
  fields: {
    ignoresUnknown: false,
    request: {
      ...openAiFields,
      tools: looseTools,
      n: nullable(integer({ min: 1, max: 1 })),
      citation_options: nullable(text()),
      compound_custom: nullable(dictionary),
      disable_tool_validation: flag,
      documents: nullable(list(dictionary)),
      exclude_domains: nullable(list(text())),
      include_domains: nullable(list(text())),
      include_reasoning: nullable(flag),
      reasoning_format: nullable(choice("hidden", "raw", "parsed")),
      search_settings: nullable(dictionary),
    },
    messages: {
      system: object({ role: type, content }, name),
      developer: object({ role: type, content }, name),
      user: object({ role: type, content }, name),
      assistant: object(
        { role: type },
        {
          content,
          ...name,
          reasoning: nullable(text()),
          tool_calls: nullable(list(call)),
          function_call: nullable(dictionary),
          executed_tools: nullable(list(openObject({}))),
        },
      ),
      tool: object({ role: type, content, tool_call_id: text({ min: 1 }) }, name),
    },
  },
  words,
  quirks: {
    ...openAiQuirks,
    reasoning: "reasoning",
    hasWholeCalls: true,
    usage: "x_groq",
    errors: "event",
  },
  hasRefusals: false,
  envelope: { system_fingerprint: "fp_emulated" },
  choice: { logprobs: null },
  hasModel: () => true,
  windowOf: () => 131_072,
  newReplyId: (count) => `chatcmpl-00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
  newCallId: (count) => `g${String(count).padStart(8, "0")}`,
  toUsage: ({ prompt, completion, cached, reasoning }) => ({
    queue_time: 0,
    prompt_tokens: prompt,
    prompt_time: 0,
    completion_tokens: completion,
    completion_time: 0,
    total_tokens: prompt + completion,
    total_time: 0,
    ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }),
  // Results are not matched with calls.
  check: () => {},
};

/** A fault in a message is reported with the role of the message. */
function toFault(issue: ShapeIssue): string {
  const [root, index = 0, role] = issue.path;
  const fault = describe(issue);
  if (root !== "messages" || typeof role !== "object") return fault;
  return `'${toDottedPath([root, index])}' : for 'role:${role.tag}' the following must be satisfied[('${pathOf(issue)}' : ${fault})]`;
}

/** An unknown field is reported at its owner, a missing one at its own path. */
function pathOf({ kind, path }: ShapeIssue): string {
  return toDottedPath(kind === "unknown" ? path.slice(0, -1) : path);
}

function describe(issue: ShapeIssue): string {
  const key = toDottedPath(issue.path.slice(-1));
  switch (issue.kind) {
    case "missing":
      return `property '${key}' is missing`;
    case "unknown":
      return `property '${key}' is unsupported`;
    case "type":
      return `value must be a ${issue.expected[0] ?? "object"}`;
    case "choice":
    case "tag":
      return `value must be one of ${issue.choices.map((one) => `\`${one}\``).join(", ")}`;
    case "below":
      return `number must be at least ${issue.limit}`;
    case "above":
      return `number must be at most ${issue.limit}`;
    case "short":
      return `minimum number of items is ${issue.limit}`;
    case "long":
      return `maximum number of items is ${issue.limit}`;
    case "pattern":
      return `value must match \`${issue.pattern}\``;
    default:
      return issue satisfies never;
  }
}
