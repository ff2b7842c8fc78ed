/**
 * The same with the AI SDK: `streamText`, and its stream for user interfaces. As ours can, it keeps what a reader that comes back would need, by the hook that
 * the AI SDK has for that; in memory, as ours does here.
 */
import { streamText } from "ai";
import type { LanguageModel } from "ai";
import { listen } from "./listen.ts";
import type { LoadSubject } from "./subject.ts";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type StreamPart =
  Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

export const subject: LoadSubject = {
  serve: (deltas) =>
    listen(async (request, response) => {
      request.resume();
      const result = streamText({ model: modelOf(deltas), prompt: "go" });
      await result.pipeUIMessageStreamToResponse(response, {
        consumeSseStream: ({ stream }) => keep(stream),
      });
    }),
};

const kept: string[][] = [];

async function keep(stream: ReadableStream<string>): Promise<void> {
  const frames: string[] = [];
  kept.push(frames);
  for await (const frame of stream) frames.push(frame);
}

function modelOf(deltas: () => AsyncGenerator<string>): Model {
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
