/** OpenAI itself, the strictest server of this protocol. */
import type { JsonObject } from "../../json.ts";
import { asText } from "../../json.ts";
import {
  errorBody,
  invalid,
  openAiFailures,
  toShapeRefusal as toOpenAiRefusal,
} from "../../openai-responses/errors.ts";
import { modelTraits, newestTraits } from "../../openai-responses/model-traits.ts";
import type { ModelTraits } from "../../openai-responses/model-traits.ts";
import { Refusal } from "../../refusal.ts";
import type { ShapeIssue } from "../../shape.ts";
import { toBracketPath } from "../../shape.ts";
import { checkMedia } from "../check-media.ts";
import { checkMessages } from "../check-messages.ts";
import { checkSettings } from "../check-settings.ts";
import type { ChatRequest } from "../chat-request.ts";
import type { ChatDialect, ChatQuirks, DialectWords } from "../dialect.ts";
import { maskKey } from "../dialect.ts";
import type { Failures } from "../../scripted-failure.ts";
import { openAiFields, openAiMessages } from "../request-shape.ts";

export const openAiQuirks: ChatQuirks = {
  opening: "nothing",
  role: "first",
  content: "text",
  reasoning: "hidden",
  callIndex: "from-zero",
  hasWholeCalls: false,
  repeatsCalls: false,
  finishReason: "once",
  usage: "asked",
  hasDone: true,
  errors: "data",
};

export const openAiChatFailures: Failures = {
  ...openAiFailures,
  context_overflow: {
    param: "messages",
    code: "context_length_exceeded",
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. Please reduce the length of the messages.",
  },
};

const words: DialectWords = {
  toShapeRefusal,
  noKey: () =>
    new Refusal(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      { status: 401 },
    ),
  wrongKey: (key) =>
    new Refusal(
      `Incorrect API key provided: ${maskKey(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      { status: 401, code: "invalid_api_key" },
    ),
  unknownModel: (model) =>
    new Refusal(`The model \`${model}\` does not exist or you do not have access to it.`, {
      status: 404,
      code: "model_not_found",
    }),
  tooLong,
  failures: openAiChatFailures,
  errorBody,
};

export const openAi: ChatDialect = {
  name: "the OpenAI Chat Completions emulator",
  basePath: "/v1",
  fields: { ignoresUnknown: false, request: openAiFields, messages: openAiMessages },
  words,
  quirks: openAiQuirks,
  hasRefusals: true,
  envelope: { service_tier: "default", system_fingerprint: "fp_emulated" },
  choice: { logprobs: null },
  hasModel: (model) => modelTraits(model) !== undefined,
  windowOf: (model) => traitsOf(model).contextWindow,
  newReplyId: (count) => `chatcmpl-${String(count).padStart(29, "0")}`,
  newCallId: (count) => `call_${String(count).padStart(24, "0")}`,
  toUsage: ({ prompt, completion, cached, reasoning }) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }),
  check(request: ChatRequest, { body }) {
    const traits = traitsOf(request.model);
    if (traits.efforts.length === 0 && request.reasoning_effort) {
      throw unknownField("reasoning_effort", traits);
    }
    checkSettings(request, body, traits);
    checkMessages(request);
    checkMedia(request);
  },
};

function traitsOf(model: string): ModelTraits {
  return modelTraits(model) ?? newestTraits;
}

function toShapeRefusal(issue: ShapeIssue, body: JsonObject): Refusal {
  const { path } = issue;
  const [first] = path;
  if (issue.kind === "missing" && first === "model") {
    return new Refusal("you must provide a model parameter");
  }
  if (issue.kind === "unknown" && path.length === 1) {
    return unknownField(toBracketPath(path), traitsOf(asText(body["model"])));
  }
  if (issue.kind === "tag") {
    const { key, choices, value } = issue;
    const named: ShapeIssue = { kind: "choice", path: [...path, key], choices, value };
    return toOpenAiRefusal(named);
  }
  return toOpenAiRefusal(issue, "array of objects");
}

/** Older models have older messages. */
function unknownField(field: string, { version }: ModelTraits): Refusal {
  return version < 500
    ? new Refusal(`Unrecognized request argument supplied: ${field}`)
    : invalid(`Unknown parameter: '${field}'.`, field, "unknown_parameter");
}

function tooLong(tokens: number, window: number, model: string): Refusal {
  const message =
    traitsOf(model).version < 500
      ? `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
      : `Input tokens exceed the configured limit of ${window} tokens. Your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return invalid(message, "messages", "context_length_exceeded");
}
