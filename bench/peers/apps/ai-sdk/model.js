/** A model of the AI SDK that follows the script. */
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { steps } from "../refund-script.js";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function partsOf({ id, tool, input, text }) {
  if (text === undefined) {
    const call = {
      type: "tool-call",
      toolCallId: id,
      toolName: tool,
      input: JSON.stringify(input),
    };
    return [call, { type: "finish", finishReason: { unified: "tool-calls", raw: "calls" }, usage }];
  }
  return [
    { type: "text-start", id: "text" },
    { type: "text-delta", id: "text", delta: text },
    { type: "text-end", id: "text" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
}

let step = 0;
export const model = new MockLanguageModelV4({
  doStream: async () => ({
    stream: convertArrayToReadableStream([
      { type: "stream-start", warnings: [] },
      ...partsOf(steps[step++]),
    ]),
  }),
});
