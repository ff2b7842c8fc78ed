/** Requests and replies of this vendor's models. */
import type { AssistantMessage, AssistantPart, ProviderRequest } from "@capstan/kernel";
import type { MessagesRequest } from "../../src/protocols/anthropic-messages/request.ts";
import { anthropicMessages } from "../../src/protocols/anthropic-messages/anthropic-messages.ts";
import type { Target, TargetOrigin } from "../../src/wire/protocol.ts";
import { requestOf } from "../request-of.ts";

export function claudeTarget(model: string): Target {
  return { origin: claudeOrigin(model), quirks: {}, isStreaming: true };
}

function claudeOrigin(model: string): TargetOrigin {
  return { provider: "anthropic", api: "anthropic-messages", model };
}

/** The body of a request to a model. */
export function bodyFor(model: string, request: Partial<ProviderRequest>): MessagesRequest {
  const { body } = anthropicMessages.encode(requestOf(request), claudeTarget(model));
  return body as unknown as MessagesRequest;
}

/** The messages of a body without the markers for the cache. */
export function messagesFor(model: string, request: Partial<ProviderRequest>): unknown {
  const { messages } = bodyFor(model, request);
  return withoutMarkers(messages);
}

export function withoutMarkers(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) =>
    key === "cache_control" ? undefined : inner,
  );
  return JSON.parse(text);
}

/** A reply of a model of Claude. */
export function reply(
  content: readonly AssistantPart[],
  { model = "claude-sonnet-4-5", ...fields }: Partial<AssistantMessage> & { model?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    id: "a1",
    content,
    stopReason: "stop",
    origin: claudeOrigin(model),
    ...fields,
  };
}
