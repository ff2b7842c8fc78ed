/** The same written to Node's response by the AI SDK itself, which takes less. For B13 only. */
import { streamText } from "ai";
import { aiModelOf } from "../ai-model.ts";
import { listen } from "../load/listen.ts";
import { inReads } from "../paced-deltas.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "ai-chat-piped",
  goals: {},
  async serveChunks(deltas) {
    const port = await listen(async (_, response) => {
      const model = aiModelOf(() => inReads(deltas));
      await streamText({ model, prompt: "go" }).pipeUIMessageStreamToResponse(response);
    });
    return { url: `http://127.0.0.1:${port}/`, init: {} };
  },
};
