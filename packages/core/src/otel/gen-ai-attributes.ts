/**
 * The fields of the kernel's spans as attributes of OpenTelemetry's GenAI conventions, as of November 2026:
 * https://github.com/open-telemetry/semantic-conventions-genai. What the conventions have no name for is `capstan.*`.
 */
import type { LogFields } from "@capstan/kernel";
import type { Attributes } from "@opentelemetry/api";

type Field = NonNullable<LogFields[string]>;

const names: Readonly<Record<string, string>> = {
  operation: "gen_ai.operation.name",
  agentName: "gen_ai.agent.name",
  conversationId: "gen_ai.conversation.id",
  sessionId: "gen_ai.conversation.id",
  turnId: "capstan.turn.id",
  principal: "enduser.id",
  step: "capstan.step",
  attempt: "capstan.attempt",
  provider: "gen_ai.provider.name",
  model: "gen_ai.request.model",
  isStreaming: "gen_ai.request.stream",
  responseModel: "gen_ai.response.model",
  stopReason: "gen_ai.response.finish_reasons",
  ttftMs: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  toolCallId: "gen_ai.tool.call.id",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  // For a turn: reasons such as "max-steps" are the kernel's, not a model's.
  finishReason: "capstan.finish_reason",
  purpose: "capstan.purpose",
};

const values: Readonly<Record<string, (value: Field) => Attributes[string]>> = {
  provider: (id) => providerNames[String(id)] ?? id,
  stopReason: (reason) => [finishReasons[String(reason)] ?? String(reason)],
  ttftMs: (ms) => Number(ms) / 1000,
};

/** Providers that the conventions call by another name than their usual id. */
const providerNames: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
};

const finishReasons: Readonly<Record<string, string>> = {
  "tool-calls": "tool_call",
  "content-filter": "content_filter",
  // A reply that was cancelled counts as one that ended abnormally.
  aborted: "error",
};

/** A field that is not the kernel's keeps its name. */
export function toAttributes(fields: LogFields): Attributes {
  const attributes: Attributes = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    attributes[names[field] ?? field] = values[field]?.(value) ?? value;
  }
  return attributes;
}
