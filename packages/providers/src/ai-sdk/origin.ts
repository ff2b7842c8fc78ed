/** Origin of the replies of AI SDK models. */
import type { Target, TargetOrigin } from "../wire/protocol.ts";
import type { AiSdkModel } from "./model.ts";

export const aiSdkApi = "ai-sdk";

export function originOf({
  provider,
  modelId,
}: Pick<AiSdkModel, "provider" | "modelId">): TargetOrigin {
  return { provider, api: aiSdkApi, model: modelId };
}

export function targetOf(origin: TargetOrigin): Target {
  return { origin, quirks: {}, isStreaming: true };
}
