/** A server of Chat Completions, and requests to it as the kernel makes them, without the kernel. */
import type { AssistantMessage, AssistantPart, ProviderRequest } from "@capstan/kernel";
import type { Target, TargetOrigin } from "../../src/wire/protocol.ts";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import type { ChatRequest } from "../../src/protocols/openai-chat/request.ts";
import type { ChatQuirks, Vendor } from "../../src/wire/vendor.ts";
import { requestOf } from "../request-of.ts";

export const anyServer: Vendor = {
  id: "house",
  name: "House",
  protocol: openAiChat,
  baseUrl: "http://localhost/v1",
  keyVariable: undefined,
  quirks: {},
};

export function chatTarget(model: string, chat: ChatQuirks = {}): Target {
  return { origin: chatOrigin(model), quirks: { chat }, isStreaming: true };
}

export function chatOrigin(model: string): TargetOrigin {
  return { provider: "house", api: "openai-chat", model };
}

/** The body of a request to a model. */
export function bodyFor(
  model: string,
  request: Partial<ProviderRequest>,
  quirks?: ChatQuirks,
): ChatRequest {
  const { body } = openAiChat.encode(requestOf(request), chatTarget(model, quirks));
  return body as unknown as ChatRequest;
}

export function reply(
  content: readonly AssistantPart[],
  { model = "a-model", ...fields }: Partial<AssistantMessage> & { model?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    id: "a1",
    content,
    stopReason: "stop",
    origin: chatOrigin(model),
    ...fields,
  };
}
