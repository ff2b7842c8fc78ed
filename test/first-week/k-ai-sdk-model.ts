/** A model of the AI SDK in an agent of ours. */
import { createAgent, createSession, defineTool } from "@capstan/core";
import { fromAiSdk } from "@capstan/providers/ai-sdk";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const mock = new MockLanguageModelV4({
  modelId: "house-1",
  doStream: [
    {
      stream: simulateReadableStream({
        chunks: [
          { type: "tool-call", toolCallId: "1", toolName: "weather", input: '{"city":"Rome"}' },
          { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
        ],
      }),
    },
    {
      stream: simulateReadableStream({
        chunks: [
          { type: "text-start", id: "a" },
          { type: "text-delta", id: "a", delta: "28 " },
          { type: "text-delta", id: "a", delta: "degrees." },
          { type: "text-end", id: "a" },
          { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
        ],
      }),
    },
  ],
});
const weather = defineTool({
  name: "weather",
  description: "Weather of a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: 28 }),
});

const session = createSession({ agent: createAgent({ model: fromAiSdk(mock), tools: [weather] }) });
for await (const event of session.send("How warm is Rome?")) {
  if (event.type === "text_delta") console.log(event.delta);
  if (event.type === "error") console.error(event.error.message);
}
console.log(session.usage.inputTokens, mock.doStreamCalls.length);
console.log(JSON.stringify(mock.doStreamCalls[1]?.prompt.at(-1)));
