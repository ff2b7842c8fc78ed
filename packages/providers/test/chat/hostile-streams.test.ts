import { describe } from "vitest";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import { bearsHostileStreams } from "../fixtures-harness/hostile-streams.ts";
import { chatTarget } from "./requests.ts";

describe("Chat Completions", () => {
  bearsHostileStreams({
    protocol: openAiChat,
    target: chatTarget("a-model"),
    eventTypes: ["chat.completion.chunk"],
    fields: ["choices", "usage", "x_groq", "error", "id", "model"],
  });
});
