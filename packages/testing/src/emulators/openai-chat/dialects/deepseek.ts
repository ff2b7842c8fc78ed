/** DeepSeek: its models think unless told not to, and require their thinking to be sent back. */
import { asText } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import {
  object,
  openObject,
  nullable,
  text,
  anything,
  integer,
  choice,
  toBracketPath,
} from "../../shape.ts";
import type { ShapeIssue } from "../../shape.ts";
import { textOf } from "../chat-request.ts";
import type { ChatRequest, ChatWireMessage } from "../chat-request.ts";
import type { ChatDialect, DialectWords } from "../dialect.ts";
import { maskKey } from "../dialect.ts";
import { contentOf, looseMessagesOf, looseTools, openAiFields } from "../request-shape.ts";
import { openAiQuirks } from "./openai.ts";

const code = "invalid_request_error";

function refusal(message: string): Refusal {
  return new Refusal(message, { code });
}

const words: DialectWords = {
  toShapeRefusal: (issue) =>
    refusal(
      `Failed to deserialize the JSON body into the target type: ${toFault(issue)} at line 1 column 1`,
    ),
  noKey: () =>
    new Refusal("Authentication Fails (auth header format should be Bearer sk-...)", {
      status: 401,
      type: "authentication_error",
      code,
    }),
  wrongKey: (key) =>
    new Refusal(`Authentication Fails, Your api key: ${maskKey(key)} is invalid`, {
      status: 401,
      type: "authentication_error",
      code,
    }),
  unknownModel: () => refusal("Model Not Exist"),
  tooLong: (tokens, window) =>
    refusal(
      `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens (${tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
    ),
  failures: {
    auth: {
      status: 401,
      type: "authentication_error",
      code,
      message: "Authentication Fails, Your api key: ***is invalid",
    },
    rate_limit: {
      status: 429,
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
      message: "Rate limit reached. Please retry later.",
    },
    overloaded: {
      status: 503,
      type: "service_unavailable_error",
      code: "service_unavailable",
      message:
        "Service is too busy. We advise users to temporarily switch to alternative LLM APIs.",
    },
    context_overflow: {
      code,
      message:
        "This model's maximum context length is 131072 tokens. However, you requested 131073 tokens (131072 in the messages, 1 in the completion). Please reduce the length of the messages or completion.",
    },
    invalid_request: { code, message: "Invalid request." },
    content_filter: { code, message: "Content Exists Risk" },
  },
  errorBody: ({ message, type, param, code: named }) => ({
    error: { message, type, param, code: named },
  }),
};

export const deepSeek: ChatDialect = {
  name: "the DeepSeek emulator",
  basePath: "",
  fields: {
    ignoresUnknown: true,
    request: {
      ...openAiFields,
      tools: looseTools,
      max_tokens: nullable(integer({ min: 1, max: 393_216 })),
      thinking: nullable(openObject({}, { type: choice("enabled", "disabled", "adaptive") })),
    },
    messages: looseMessagesOf(contentOf({ text: object({ type: anything, text: text() }) })),
  },
  words,
  quirks: { ...openAiQuirks, reasoning: "reasoning_content", usage: "last" },
  hasRefusals: false,
  envelope: { system_fingerprint: "fp_emulated" },
  choice: { logprobs: null },
  hasModel: (model) => model.startsWith("deepseek-"),
  windowOf: () => 131_072,
  newReplyId: (count) => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`,
  newCallId: (count) => `call_00_${String(count).padStart(24, "0")}`,
  toUsage: ({ prompt, completion, cached, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
  }),
  check(request) {
    checkResponseFormat(request);
    checkToolPairs(request.messages);
    if (isThinking(request)) checkThinking(request);
  },
};

function toFault(issue: ShapeIssue): string {
  const key = toBracketPath(issue.path.slice(-1));
  const owner = toBracketPath(issue.path.slice(0, -1));
  const prefix = owner === "" ? "" : `${owner}: `;
  if (issue.kind === "missing") return `${prefix}missing field \`${key}\``;
  if (issue.kind === "tag") {
    const choices = issue.choices.map((one) => `\`${one}\``).join(", ");
    return `${toBracketPath(issue.path)}: unknown variant \`${asText(issue.value)}\`, expected ${choices}`;
  }
  return `${toBracketPath(issue.path)}: invalid value`;
}

function checkResponseFormat({ response_format: format, messages }: ChatRequest): void {
  if (format?.type === "json_schema") throw refusal("This response_format type is unavailable now");
  if (format?.type !== "json_object") return;
  if (messages.some((message) => /json/i.test(textOf(message)))) return;
  throw refusal(
    "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.",
  );
}

function checkToolPairs(messages: readonly ChatWireMessage[]): void {
  let open = new Set<string>();
  let hasAsked = false;
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === "tool") {
      if (!hasAsked) {
        throw refusal(
          "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        );
      }
      open.delete(id ?? "");
      continue;
    }
    if (open.size > 0) throw unanswered();
    open = new Set((calls ?? []).map((call) => call.id));
    hasAsked = open.size > 0;
  }
  if (open.size > 0) throw unanswered();
}

function unanswered(): Refusal {
  return refusal(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
  );
}

function isThinking({ model, thinking }: ChatRequest): boolean {
  if (thinking?.type !== undefined) return thinking.type !== "disabled";
  return model !== "deepseek-chat";
}

function checkThinking({ model, messages, tool_choice: wanted }: ChatRequest): void {
  if (wanted && wanted !== "auto" && wanted !== "none") {
    throw refusal("Thinking mode does not support this tool_choice");
  }
  // The older model required it only within a turn.
  const isOld = model === "deepseek-reasoner";
  const from = isOld ? messages.findLastIndex(({ role }) => role === "user") : 0;
  const lacking = messages.findIndex(
    (message, at) =>
      at >= from &&
      message.role === "assistant" &&
      (message.tool_calls ?? []).length > 0 &&
      typeof message.reasoning_content !== "string",
  );
  if (lacking === -1) return;
  throw refusal(
    isOld
      ? `Missing \`reasoning_content\` field in the assistant message at message index ${lacking}`
      : "The `reasoning_content` in the thinking mode must be passed back to the API.",
  );
}
