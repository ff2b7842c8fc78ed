/** A model of pi that follows the script. */
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import { steps } from "../refund-script.js";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export const model = {
  id: "script",
  name: "script",
  api: "script",
  provider: "script",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost,
  contextWindow: 1_000_000,
  maxTokens: 100_000,
};
const usage = { ...cost, totalTokens: 0, cost: { ...cost, total: 0 } };

let step = 0;

export function streamFn() {
  const stream = createAssistantMessageEventStream();
  const { id, tool, input, text } = steps[step++];
  const { api, provider } = model;
  const stopReason = tool === undefined ? "stop" : "toolUse";
  const message = {
    role: "assistant",
    content: [],
    api,
    provider,
    model: model.id,
    usage,
    stopReason,
    timestamp: 0,
  };
  const at = { contentIndex: 0, partial: message };
  queueMicrotask(() => {
    stream.push({ type: "start", partial: message });
    if (tool === undefined) {
      message.content.push({ type: "text", text });
      stream.push({ type: "text_start", ...at });
      stream.push({ type: "text_delta", delta: text, ...at });
      stream.push({ type: "text_end", content: text, ...at });
    } else {
      const toolCall = { type: "toolCall", id, name: tool, arguments: input };
      message.content.push(toolCall);
      stream.push({ type: "toolcall_start", ...at });
      stream.push({ type: "toolcall_end", toolCall, ...at });
    }
    stream.push({ type: "done", reason: stopReason, message });
  });
  return stream;
}
