/** A model of the AI SDK that says deltas. */
import type { LanguageModel } from "ai";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type StreamPart =
  Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

export function aiModelOf(deltas: () => AsyncGenerator<string>): Model {
  async function* parts(): AsyncGenerator<StreamPart> {
    yield { type: "stream-start", warnings: [] };
    yield { type: "text-start", id: "1" };
    for await (const delta of deltas()) yield { type: "text-delta", id: "1", delta };
    yield { type: "text-end", id: "1" };
    yield {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    };
  }
  return {
    specificationVersion: "v4",
    provider: "script",
    modelId: "script",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams here")),
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  };
}
