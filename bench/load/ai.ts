/**
 * The same with the AI SDK: `streamText`, and its stream for user interfaces. As ours can, it keeps what a reader that comes back would need, by the hook that
 * the AI SDK has for that; in memory, as ours does here.
 */
import { streamText } from "ai";
import { aiModelOf } from "../ai-model.ts";
import { listen } from "./listen.ts";
import type { LoadSubject } from "./subject.ts";

export const subject: LoadSubject = {
  serve: (deltas) =>
    listen(async (request, response) => {
      request.resume();
      const result = streamText({ model: aiModelOf(deltas), prompt: "go" });
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
