/** Encodes a request. */
import type { ProviderRequest, ToolChoice, ToolDeclaration } from "@capstan/kernel";
import { mergeExtra, vendorOptionsOf } from "../../wire/merge-extra.ts";
import { nothingToSay } from "../../projection/nothing-to-say.ts";
import type { Target, WireRequest } from "../../wire/protocol.ts";
import type { ChatQuirks } from "../../wire/vendor.ts";
import type { ThinkingAsk } from "../../projection/thinking-levels.ts";
import { askFor } from "../../projection/thinking-levels.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf } from "../../wire/wire-json.ts";
import { toCacheKey } from "../openai-cache-key.ts";
import { toStrictSchema } from "../../projection/openai-strict-schema.ts";
import { encodeMessages } from "./encode-messages.ts";
import { toChatOutput } from "./output-format.ts";
import type { ChatRequest, WireTool, WireToolChoice } from "./request.ts";

/** Fields the caller cannot override: the reply could not be decoded. */
const reserved = ["messages", "stream", "n"];

/** Servers' usual names for the levels, for models the registry does not know. */
const efforts = {
  off: "none",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
} as const;

export function encode(request: ProviderRequest, target: Target): WireRequest {
  const { options } = request;
  const { model, provider } = target.origin;
  const { chat = {} } = target.quirks;
  const { systemPrompt, modelFacts: facts, temperature, maxTokens, sessionId } = options;
  const extra = vendorOptionsOf(options, provider);
  const output = options.output && toChatOutput(options.output, target);
  const { messages, partAt } = encodeMessages(request.messages, target, {
    systemPrompt: joinPrompts(systemPrompt, output?.told),
    facts,
  });
  if (messages.every(({ role }) => role === "system")) throw nothingToSay(target);
  const tools = request.tools.map(toWireTool);
  const choice = toWireChoice(request.toolChoice ?? options.toolChoice);
  const hasTools = tools.length > 0;
  const mayCall = tools.length + listOf(extra["tools"]).length > 0;
  const asksForUsage = target.isStreaming && chat.refusesStreamOptions !== true;
  // Constant fields first, growing fields after them.
  const body: ChatRequest = {
    model,
    stream: target.isStreaming,
    ...(asksForUsage && { stream_options: { include_usage: true } }),
    ...(maxTokens !== undefined && { [chat.maxTokensField ?? "max_tokens"]: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...samplingOf(options, chat),
    ...thinkingOf(request, target, hasTools && isForced(choice)),
    ...(chat.takesCacheKey === true &&
      sessionId !== undefined && { prompt_cache_key: toCacheKey(sessionId) }),
    ...(output && { response_format: output.format }),
    ...(hasTools && { tools }),
    messages,
    ...(mayCall && choice !== undefined && { tool_choice: choice }),
  };
  return {
    path: "/chat/completions",
    // All JSON, except that nothing guarantees it for tool schemas.
    body: mergeExtra(body as unknown as JsonObject, extra, reserved),
    partAt,
    ...(output?.isWrapped === true && { isWrapped: true }),
    ...(output && { dispensable: [output.dispensable] }),
  };
}

const samplingFields = {
  topP: "top_p",
  topK: "top_k",
  stop: "stop",
  seed: "seed",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  serviceTier: "service_tier",
} as const;

/** The caller's sampling settings, in the vendor's fields. */
function samplingOf(options: ProviderRequest["options"], chat: ChatQuirks): JsonObject {
  const fields = Object.entries({ ...samplingFields, ...chat.samplingFields });
  const stated = fields.flatMap(([name, field]) => {
    const value = options[name as keyof typeof samplingFields];
    return field === null || value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(stated);
}

function joinPrompts(prompt = "", told = ""): string | undefined {
  const said = [prompt, told].filter((text) => text !== "").join("\n\n");
  return said === "" ? undefined : said;
}

/** Nothing is requested from an unknown server: it might reject the field. */
function thinkingOf(
  { options }: ProviderRequest,
  { quirks }: Target,
  mustCall: boolean,
): JsonObject {
  const style = quirks.chat?.thinking;
  const isKnown = isObject(options.modelFacts?.thinking);
  if (style === undefined && !isKnown) return {};
  const ask = askFor(options, isKnown ? {} : efforts, style === "reasoning-object");
  switch (style) {
    case "reasoning-object":
      return toReasoningObject(ask);
    case "thinking-switch":
      // The model cannot be forced to call a tool while it thinks.
      return mustCall ? toThinkingSwitch({ type: "off" }) : toThinkingSwitch(ask);
    case "effort":
    case undefined:
      return ask.type === "word" ? { reasoning_effort: ask.word } : {};
    default:
      return style satisfies never;
  }
}

function toReasoningObject(ask: ThinkingAsk): JsonObject {
  if (ask.type === "default") return {};
  if (ask.type === "off") return { reasoning: { enabled: false } };
  return {
    reasoning: ask.type === "word" ? { effort: ask.word } : { max_tokens: ask.tokens },
  };
}

function toThinkingSwitch(ask: ThinkingAsk): JsonObject {
  if (ask.type === "default") return {};
  if (ask.type === "off") return { thinking: { type: "disabled" } };
  const effort = ask.type === "word" ? { reasoning_effort: ask.word } : {};
  return { thinking: { type: "enabled" }, ...effort };
}

function toWireTool({ name, description, inputSchema: parameters }: ToolDeclaration): WireTool {
  const strict = toStrictSchema(parameters);
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: strict ?? parameters,
      ...(strict !== undefined && { strict: true }),
    },
  };
}

function toWireChoice(choice: ToolChoice | undefined): WireToolChoice | undefined {
  if (typeof choice !== "object") return choice;
  return { type: "function", function: { name: choice.tool } };
}

function isForced(choice: WireToolChoice | undefined): boolean {
  return choice === "required" || typeof choice === "object";
}
