/** Whom a reply of a model of the AI SDK comes from. */
import type { Origin } from "@capstan/kernel";
import type { Target } from "../protocol.ts";
import type { AiSdkModel } from "./model.ts";

export const aiSdkApi = "ai-sdk";

export function originOf({
  provider,
  modelId,
}: Pick<AiSdkModel, "provider" | "modelId">): Required<Origin> {
  return { provider, api: aiSdkApi, model: modelId };
}

export function targetOf(origin: Required<Origin>): Target {
  return { origin, quirks: {}, isStreaming: true };
}
