/** Requests as the kernel makes them, without the kernel. */
import type { AssistantMessage, AssistantPart, ProviderRequest } from "@capstan/kernel";
import type { Target, TargetOrigin } from "../../src/wire/protocol.ts";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import type { GenerateRequest } from "../../src/protocols/google-generate/request.ts";
import { requestOf } from "../request-of.ts";

export function geminiTarget(model: string): Target {
  return { origin: geminiOrigin(model), quirks: {}, isStreaming: true };
}

export function geminiOrigin(model: string): TargetOrigin {
  return { provider: "google", api: "google-generate", model };
}

/** The body of a request to a model. */
export function bodyFor(model: string, request: Partial<ProviderRequest>): GenerateRequest {
  const { body } = googleGenerate.encode(requestOf(request), geminiTarget(model));
  return body as unknown as GenerateRequest;
}

export function reply(
  content: readonly AssistantPart[],
  { model = "gemini-3.5-flash", ...fields }: Partial<AssistantMessage> & { model?: string } = {},
): AssistantMessage {
  return {
    role: "assistant",
    id: "a1",
    content,
    stopReason: "stop",
    origin: geminiOrigin(model),
    ...fields,
  };
}
