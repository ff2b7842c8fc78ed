/** The response object, which repeats the request's settings. */
import type { JsonObject } from "../json.ts";
import type { ModelTraits } from "./model-traits.ts";
import type { ResponsesRequest } from "./responses-request.ts";

export interface ResponseState {
  readonly id: string;
  readonly createdAt: number;
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly output: readonly JsonObject[];
  readonly error?: JsonObject;
  readonly incompleteReason?: string | undefined;
  readonly usage?: JsonObject;
}

export function toResponse(
  body: JsonObject,
  request: ResponsesRequest,
  traits: ModelTraits,
  state: ResponseState,
): JsonObject {
  const { reasoning, text } = request;
  const isDone = state.status === "completed" || state.status === "incomplete";
  const { incompleteReason } = state;
  return {
    id: state.id,
    object: "response",
    created_at: state.createdAt,
    status: state.status,
    background: false,
    completed_at: isDone ? state.createdAt + 1 : null,
    error: state.error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: body["max_tool_calls"] ?? null,
    model: request.model,
    output: state.output,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: {
      effort: reasoning?.effort ?? traits.usualEffort,
      summary: reasoning?.summary ?? reasoning?.generate_summary ?? null,
    },
    safety_identifier: body["safety_identifier"] ?? null,
    service_tier: isDone ? "default" : "auto",
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: {
      format: body["text"] && text?.format ? { ...text.format } : { type: "text" },
      verbosity: text?.verbosity ?? "medium",
    },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: body["top_logprobs"] ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? "disabled",
    usage: state.usage ?? null,
    user: body["user"] ?? null,
    metadata: body["metadata"] ?? {},
  };
}
