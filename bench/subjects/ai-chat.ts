/** `streamText` of the AI SDK and the response that it makes of it for pages, on Node's HTTP. For B13 only. */
import { streamText } from "ai";
import { aiModelOf } from "../ai-model.ts";
import { listen } from "../load/listen.ts";
import { inReads } from "../paced-deltas.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "ai-chat",
  goals: {},
  async serveChunks(deltas) {
    const port = await listen(async (_, response) => {
      const model = aiModelOf(() => inReads(deltas));
      const { body, headers } = streamText({ model, prompt: "go" }).toUIMessageStreamResponse();
      response.writeHead(200, Object.fromEntries(headers));
      for await (const piece of body ?? []) response.write(piece);
      response.end();
    });
    return { url: `http://127.0.0.1:${port}/`, init: {} };
  },
};
