/** Requests and replies of this vendor's models. */
import type { AssistantMessage, AssistantPart, ProviderRequest } from "@capstan/kernel";
import type { Target, TargetOrigin } from "../../src/wire/protocol.ts";
import { openAiResponses } from "../../src/protocols/openai-responses/openai-responses.ts";
import type { ResponsesRequest } from "../../src/protocols/openai-responses/request.ts";
import { requestOf } from "../request-of.ts";

export function gptTarget(model: string): Target {
  return { origin: gptOrigin(model), quirks: {}, isStreaming: true };
}

export function gptOrigin(model: string): TargetOrigin {
  return { provider: "openai", api: "openai-responses", model };
}

/** The body of a request to a model. */
export function bodyFor(model: string, request: Partial<ProviderRequest>): ResponsesRequest {
  const { body } = openAiResponses.encode(requestOf(request), gptTarget(model));
  return body as unknown as ResponsesRequest;
}

/** A reply of a model of OpenAI. */
export function reply(
  content: readonly AssistantPart[],
  { model = "gpt-5.5", ...fields }: Partial<AssistantMessage> & { model?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    id: "a1",
    content,
    stopReason: "stop",
    origin: gptOrigin(model),
    ...fields,
  };
}
