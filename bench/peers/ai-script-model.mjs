/** The mock model of the floors as a model of the AI SDK: it finds its step from the last tool result. */
import { callId, sleep, stepAfter } from "../script.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** @param specificationVersion "v4" for the AI SDK 7, "v3" for libraries built on earlier versions. */
export function aiScriptModel({ script, latencyMs }, specificationVersion) {
  return {
    specificationVersion,
    provider: "script",
    modelId: "script",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("This model only streams")),
    doStream: async ({ prompt }) => {
      if (latencyMs > 0) await sleep(latencyMs);
      const last = prompt.at(-1);
      const result = last?.role === "tool" ? last.content.at(-1) : undefined;
      return { stream: ReadableStream.from(parts(script, stepAfter(result?.toolCallId))) };
    },
  };
}

function* parts(script, step) {
  yield { type: "stream-start", warnings: [] };
  const isCall = step < script.toolSteps;
  if (isCall) {
    const id = callId(step);
    yield { type: "tool-input-start", id, toolName: script.toolName };
    for (const delta of script.argDeltas) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    const input = script.argDeltas.join("");
    yield { type: "tool-call", toolCallId: id, toolName: script.toolName, input };
  } else {
    yield { type: "text-start", id: "1" };
    for (const delta of script.textDeltas) yield { type: "text-delta", id: "1", delta };
    yield { type: "text-end", id: "1" };
  }
  const unified = isCall ? "tool-calls" : "stop";
  yield { type: "finish", finishReason: { unified, raw: unified }, usage };
}

/** The neutral history as messages of the AI SDK. */
export function toModelMessages(history) {
  return history.map((message) => {
    switch (message.role) {
      case "user":
        return { role: "user", content: message.text };
      case "call": {
        const { id: toolCallId, name: toolName, args: input } = message;
        return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] };
      }
      case "result": {
        const { id: toolCallId, name: toolName, text: value } = message;
        const output = { type: "text", value };
        return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
      }
      default:
        return { role: "assistant", content: message.text };
    }
  });
}
