/** Models of the AI SDK that say what they are told, and requests to them. */
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type {
  AssistantMessage,
  AssistantPart,
  ProviderPart,
  ProviderRequest,
} from "@capstan/kernel";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import type { AiSdkModel } from "../../src/ai-sdk.ts";

export type StreamPart = LanguageModelV4StreamPart;
export type Usage = Extract<StreamPart, { type: "finish" }>["usage"];

/** A model that answers the first request with the first of these, and so on. */
export function modelThatSends(...replies: (readonly unknown[])[]): MockLanguageModelV4 {
  // What models should not send is sent as well.
  const streams = replies.map((chunks) => ({
    stream: simulateReadableStream({ chunks: [...chunks] as StreamPart[], chunkDelayInMs: null }),
  }));
  return new MockLanguageModelV4({ provider: "mock.chat", modelId: "m-1", doStream: streams });
}

export const origin = { provider: "mock.chat", api: "ai-sdk", model: "m-1" } as const;

/** Nothing was counted. */
export const noUsage: Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

export function finish(
  unified: Extract<StreamPart, { type: "finish" }>["finishReason"]["unified"] = "stop",
  fields: Partial<Extract<StreamPart, { type: "finish" }>> = {},
): StreamPart {
  return { type: "finish", finishReason: { unified, raw: undefined }, usage: noUsage, ...fields };
}

export function text(...deltas: readonly string[]): StreamPart[] {
  return [
    { type: "text-start", id: "t" },
    ...deltas.map((delta): StreamPart => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
  ];
}

export function requestOf(request: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    tools: [],
    options: {},
    signal: new AbortController().signal,
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    attempt: 1,
    ...request,
  };
}

export const tool = { name: "echo", description: "Says it again", inputSchema: { type: "object" } };

export function iterate(
  model: AiSdkModel,
  request: Partial<ProviderRequest> = {},
): AsyncIterable<ProviderPart> {
  return fromAiSdk(model).provider.stream(requestOf(request));
}

/** What a model's reply is here. */
export function partsOf(
  model: AiSdkModel,
  request: Partial<ProviderRequest> = {},
): Promise<ProviderPart[]> {
  return Array.fromAsync(iterate(model, request));
}

/** What of a reply is content: neither its beginning nor its end. */
export async function contentOf(
  sent: readonly unknown[],
  request: Partial<ProviderRequest> = {},
): Promise<ProviderPart[]> {
  const parts = await partsOf(modelThatSends([...sent, finish()]), request);
  return parts.filter(({ type }) => type !== "start" && type !== "finish");
}

/** What a model is asked with. */
export async function askedWith(
  request: Partial<ProviderRequest>,
): Promise<Parameters<LanguageModelV4["doStream"]>[0]> {
  const model = modelThatSends([finish()]);
  await partsOf(model, request);
  const [asked] = model.doStreamCalls;
  if (asked === undefined) throw new Error("The model was not asked");
  return asked;
}

/** A reply of the model. */
export function reply(
  content: readonly AssistantPart[],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  return { role: "assistant", id: "a1", content, stopReason: "stop", origin, ...fields };
}
