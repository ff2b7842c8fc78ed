/** OpenRouter: passes most things on, and shows thinking in a form that must be sent back unchanged. */
import { isList, isObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import { anything, toDottedPath } from "../../shape.ts";
import type { ChatDialect, DialectWords } from "../dialect.ts";
import { looseMessages, looseTools, openAiFields } from "../request-shape.ts";
import { openAiQuirks } from "./openai.ts";

const words: DialectWords = {
  toShapeRefusal: ({ kind, path }) => {
    const field = toDottedPath(path);
    if (field === "messages") {
      return new Refusal('Input required: specify "prompt" or "messages"');
    }
    return new Refusal(`${field}: Invalid input${kind === "missing" ? ": Required" : ""}`);
  },
  noKey: () => new Refusal("No auth credentials found", { status: 401 }),
  wrongKey: () => new Refusal("User not found.", { status: 401 }),
  unknownModel: (model) => new Refusal(`${model} is not a valid model ID`),
  tooLong: (tokens, window) =>
    new Refusal(
      `This endpoint's maximum context length is ${window} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`,
    ),
  failures: {
    auth: { status: 401, message: "User not found." },
    rate_limit: { status: 429, message: "Rate limit exceeded: limit_rpm" },
    overloaded: { status: 503, message: "Provider returned error" },
    context_overflow: {
      message:
        "This endpoint's maximum context length is 200000 tokens. However, you requested about 200001 tokens (200001 of text input). Please reduce the length of either one.",
    },
    invalid_request: { message: "Provider returned error" },
    content_filter: { status: 403, message: "The input was flagged by moderation." },
  },
  errorBody: ({ status, message, details: [metadata] }) => ({
    error: { message, code: status, ...(metadata && { metadata }) },
    user_id: "user_emulated",
  }),
};

export const openRouter: ChatDialect = {
  name: "the OpenRouter emulator",
  basePath: "/api/v1",
  fields: {
    ignoresUnknown: true,
    request: { ...openAiFields, tools: looseTools, verbosity: anything, reasoning: anything },
    messages: looseMessages,
  },
  words,
  quirks: {
    ...openAiQuirks,
    opening: "comments",
    role: "every",
    reasoning: "reasoning_details",
    finishReason: "repeated",
    usage: "last",
    errors: "chunk",
  },
  hasRefusals: true,
  envelope: { provider: "Emulated" },
  choice: { logprobs: null },
  hasModel: (model) => model.includes("/"),
  windowOf: () => 200_000,
  newReplyId: (count) => `gen-${String(count).padStart(10, "0")}-emulated`,
  newCallId: (count) => `toolu_bdrk_01${String(count).padStart(22, "0")}`,
  toUsage: ({ prompt, completion, cached, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    cost: 0,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: 0 },
  }),
  check({ messages }, { sealer, trustsForeign }) {
    if (trustsForeign) return;
    for (const [index, { reasoning_details: details }] of messages.entries()) {
      const signatures = isList(details)
        ? details.flatMap((one) => (isObject(one) ? [one["signature"]] : []))
        : [];
      for (const signature of signatures) {
        if (typeof signature !== "string" || sealer.open(signature) !== undefined) continue;
        throw forged(index);
      }
    }
  },
};

/** The model's vendor checks signatures. */
function forged(index: number): Refusal {
  const message = `messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block`;
  const raw = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
  return new Refusal("Provider returned error", {
    details: [{ raw, provider_name: "Emulated" }],
  });
}
