/** Ollama: requires no key, ignores unknown fields, and truncates a prompt that is too long. */
import { Refusal } from "../../refusal.ts";
import { anything, toDottedPath } from "../../shape.ts";
import type { ChatDialect, DialectWords } from "../dialect.ts";
import { looseMessages, looseTools, openAiFields } from "../request-shape.ts";
import { openAiQuirks } from "./openai.ts";

const words: DialectWords = {
  toShapeRefusal({ kind, path }) {
    const field = toDottedPath(path);
    if (field === "messages" && (kind === "short" || kind === "missing")) {
      return new Refusal("[] is too short - 'messages'");
    }
    if (field === "model") return new Refusal("model is required");
    return new Refusal(
      `json: cannot unmarshal into Go struct field ChatCompletionRequest.${field}`,
    );
  },
  noKey: undefined,
  wrongKey: () => new Refusal("unauthorized", { status: 401, type: "authentication_error" }),
  unknownModel: (model) =>
    new Refusal(`model '${model}' not found`, { status: 404, type: "not_found_error" }),
  tooLong: undefined,
  failures: {
    auth: { status: 401, type: "authentication_error", message: "unauthorized" },
    rate_limit: { status: 429, type: "api_error", message: "too many requests" },
    overloaded: {
      status: 503,
      type: "api_error",
      message: "server busy, please try again.  maximum pending requests exceeded",
    },
    context_overflow: { message: "prompt too long; exceeded max context length by 1 tokens" },
    invalid_request: { message: "invalid message content type: <nil>" },
    content_filter: { message: "the request was blocked" },
  },
  errorBody: ({ message, type, param, code }) => ({ error: { message, type, param, code } }),
};

export const ollama: ChatDialect = {
  name: "the Ollama emulator",
  basePath: "/v1",
  fields: {
    ignoresUnknown: true,
    request: { ...openAiFields, tools: looseTools, verbosity: anything },
    messages: looseMessages,
  },
  words,
  quirks: { ...openAiQuirks, reasoning: "reasoning", hasWholeCalls: true },
  hasRefusals: false,
  envelope: { system_fingerprint: "fp_ollama" },
  choice: {},
  hasModel: () => true,
  windowOf: () => 4096,
  newReplyId: (count) => `chatcmpl-${count}`,
  newCallId: (count) => `call_${String(count).padStart(8, "0")}`,
  toUsage: ({ prompt, completion }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  }),
  check: () => {},
};
