/** Mistral: accepts no unknown field, and only its own order of messages. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isObject } from "../../json.ts";
import type { JsonObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import {
  anything,
  choice,
  dictionary,
  either,
  flag,
  integer,
  list,
  nullable,
  object,
  openObject,
  text,
} from "../../shape.ts";
import type { Path, Shape, ShapeIssue } from "../../shape.ts";
import type { ChatRequest, ChatWireMessage } from "../chat-request.ts";
import type { ChatDialect, DialectWords } from "../dialect.ts";
import { contentOf, looseTools, openAiFields, toolChoiceOf } from "../request-shape.ts";
import { openAiQuirks } from "./openai.ts";

const type = anything;

/** Supported fields of OpenAI, without the newer ones. */
const shared = [
  "model",
  "temperature",
  "top_p",
  "max_tokens",
  "stream",
  "stop",
  "metadata",
  "response_format",
  "presence_penalty",
  "frequency_penalty",
  "n",
  "prediction",
  "parallel_tool_calls",
  "reasoning_effort",
  "prompt_cache_key",
  "service_tier",
];

const ownFields: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(shared.map((key) => [key, openAiFields[key] ?? anything])),
  tools: looseTools,
  tool_choice: toolChoiceOf("auto", "none", "any", "required"),
  random_seed: nullable(integer()),
  safe_prompt: flag,
  prompt_mode: nullable(text()),
  guardrails: nullable(list(dictionary)),
};

const image = either(text(), openObject({ url: text() }));
const content = contentOf({
  text: object({ type, text: text() }),
  image_url: object({ type, image_url: image }),
  document_url: object({ type, document_url: text() }, { document_name: nullable(text()) }),
  reference: openObject({ type }),
  thinking: object({ type, thinking: list(openObject({})) }, { closed: flag, signature: anything }),
  input_audio: openObject({ type }),
  file: openObject({ type }),
});

const call = object(
  {
    function: object({ name: text(), arguments: either(text(), dictionary) }),
  },
  { id: text(), type: choice("function"), index: integer() },
);

const message = object({ role: type, content: nullable(content) });

const messages: Readonly<Record<string, Shape>> = {
  system: message,
  user: message,
  assistant: object(
    { role: type },
    { content: nullable(content), tool_calls: nullable(list(call)), prefix: flag },
  ),
  tool: object(
    { role: type, content: nullable(content) },
    { tool_call_id: nullable(text()), name: nullable(text()) },
  ),
};

const words: DialectWords = {
  toShapeRefusal,
  noKey: () => unauthorized(),
  wrongKey: () => unauthorized(),
  unknownModel: (model) =>
    new Refusal(`Invalid model: ${model}`, { type: "invalid_model", code: "1500" }),
  tooLong: (tokens, window) =>
    new Refusal(
      `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      { type: "invalid_request_prompt", code: "3051" },
    ),
  failures: {
    auth: { status: 401, message: "Unauthorized" },
    rate_limit: { status: 429, type: "rate_limited", code: "1300", message: "Rate limit exceeded" },
    overloaded: {
      status: 503,
      type: "unreachable_backend",
      code: "1100",
      message: "Service unavailable.",
    },
    context_overflow: {
      type: "invalid_request_prompt",
      code: "3051",
      message:
        "Prompt contains 131073 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
    },
    invalid_request: { message: "Invalid request." },
    content_filter: {
      status: 403,
      type: "moderation_blocked",
      message: "The request was blocked by a guardrail.",
    },
  },
  errorBody,
};

export const mistral: ChatDialect = {
  name: "the Mistral emulator",
  basePath: "/v1",
  fields: { ignoresUnknown: false, request: ownFields, messages },
  words,
  quirks: { ...openAiQuirks, reasoning: "parts", hasWholeCalls: true, usage: "last" },
  hasRefusals: false,
  envelope: {},
  choice: {},
  hasModel: () => true,
  windowOf: () => 131_072,
  newReplyId: (count) => String(count).padStart(32, "0"),
  newCallId: (count) => `c${String(count).padStart(8, "0")}`,
  toUsage: ({ prompt, completion, cached }) => ({
    prompt_tokens: prompt,
    total_tokens: prompt + completion,
    completion_tokens: completion,
    prompt_tokens_details: { cached_tokens: cached },
  }),
  check(request) {
    checkOrder(request);
    checkPairs(request);
    for (const one of request.messages) checkMessage(one);
    for (const { function: declared } of request.tools ?? []) checkName(declared?.name ?? "");
  },
};

function unauthorized(): Refusal {
  return new Refusal("Unauthorized", { status: 401 });
}

/** Schema violations have another form than rule violations. */
function errorBody({ status, message, type: kind, param, code, details }: Refusal): JsonObject {
  if (status === 401) return { detail: message };
  const said: JsonValue = details.length > 0 ? { detail: details } : message;
  return { object: "error", message: said, type: kind, param, code, raw_status_code: status };
}

const kinds = {
  string: ["string_type", "Input should be a valid string"],
  integer: ["int_type", "Input should be a valid integer"],
  number: ["float_type", "Input should be a valid number"],
  boolean: ["bool_type", "Input should be a valid boolean"],
  object: ["model_attributes_type", "Input should be a valid dictionary"],
  array: ["list_type", "Input should be a valid list"],
  null: ["none_required", "Input should be None"],
} as const;

function toShapeRefusal(issue: ShapeIssue, body: JsonObject): Refusal {
  const [kind, msg] = describe(issue);
  const loc = ["body", ...issue.path.map((one) => (typeof one === "object" ? one.tag : one))];
  const input = "value" in issue ? issue.value : valueAt(body, issue.path);
  const detail: JsonObject = { type: kind, loc, msg, input: input ?? null };
  return new Refusal(`${loc.join(".")}: ${msg}`, { status: 422, details: [detail] });
}

function describe(issue: ShapeIssue): readonly [type: string, message: string] {
  switch (issue.kind) {
    case "missing":
      return ["missing", "Field required"];
    case "unknown":
      return ["extra_forbidden", "Extra inputs are not permitted"];
    case "type":
      return kinds[issue.expected[0] ?? "object"];
    case "choice":
      return ["enum", `Input should be ${issue.choices.map((one) => `'${one}'`).join(", ")}`];
    case "tag":
      return [
        "union_tag_invalid",
        `Input tag '${asText(issue.value)}' found using '${issue.key}' does not match any of the expected tags: ${issue.choices.map((one) => `'${one}'`).join(", ")}`,
      ];
    case "below":
      return ["greater_than_equal", `Input should be greater than or equal to ${issue.limit}`];
    case "above":
      return ["less_than_equal", `Input should be less than or equal to ${issue.limit}`];
    case "short":
      return ["too_short", `Input should have at least ${issue.limit} items`];
    case "long":
      return ["too_long", `Input should have at most ${issue.limit} items`];
    case "pattern":
      return ["string_pattern_mismatch", `String should match pattern '${issue.pattern}'`];
    default:
      return issue satisfies never;
  }
}

function valueAt(body: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = body;
  for (const key of path) {
    if (typeof key === "object") continue;
    if (typeof key === "number") value = Array.isArray(value) ? (value[key] as JsonValue) : null;
    else value = isObject(value) ? value[key] : undefined;
  }
  return value;
}

function disorder(said: string): Refusal {
  return new Refusal(said, { type: "invalid_request_message_order", code: "3230" });
}

const followers: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function checkOrder({ messages: sent }: ChatRequest): void {
  for (const [index, { role }] of sent.entries()) {
    const before = sent[index - 1]?.role;
    if (before === undefined || followers[before]?.includes(role) === true) continue;
    throw disorder(`Unexpected role '${role}' after role '${before}'`);
  }
  const last = sent.at(-1);
  if (last?.role !== "assistant" || last.prefix === true) return;
  throw disorder(
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
  );
}

function checkPairs({ messages: sent }: ChatRequest): void {
  let asked = new Set<string>();
  let answered = new Set<string>();
  const settle = (): void => {
    if (asked.size === answered.size) return;
    throw disorder("Not the same number of function calls and responses");
  };
  for (const { role, tool_calls: calls, tool_call_id } of sent) {
    const id = tool_call_id ?? "";
    if (role === "assistant") {
      settle();
      asked = new Set((calls ?? []).map((one) => one.id));
      answered = new Set();
    }
    if (role !== "tool") continue;
    if (answered.has(id)) throw disorder(`Duplicate tool call id ${id} in tool results`);
    if (!asked.has(id)) throw disorder(`Unexpected tool call id ${id} in tool results`);
    answered.add(id);
  }
  settle();
}

function checkMessage(sent: ChatWireMessage): void {
  const { role, content: said, tool_calls: calls, tool_call_id: answered } = sent;
  const ids = [...(calls ?? []).map(({ id }) => id), ...(role === "tool" ? [answered ?? ""] : [])];
  const wrong = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  if (wrong !== undefined) {
    throw new Refusal(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`, {
      type: "invalid_function_call",
      code: "3280",
    });
  }
  for (const { function: called } of calls ?? []) checkName(called?.name ?? "");
  if (role !== "assistant" || (calls ?? []).length > 0) return;
  if (said !== undefined && said !== null && said.length > 0) return;
  throw new Refusal("Assistant message must have either content or tool_calls, but not none.", {
    type: "invalid_request_assistant_message",
    code: "3240",
  });
}

function checkName(name: string): void {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return;
  throw new Refusal(
    `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
    { type: "invalid_function_call", code: "3280" },
  );
}
