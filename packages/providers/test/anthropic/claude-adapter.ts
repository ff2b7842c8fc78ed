/** What the comparison with recordings has to know of this protocol. */
import type { AssistantPart, FinishReason } from "@capstan/kernel";
import type { ReplyAdapter } from "../fixtures-harness/compare-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  refusal: "content-filter",
};

export const claudeAdapter: ReplyAdapter = {
  finishReason: (word) => reasons[word],
  callId: (call) => dataOf(call.providerData)["id"] as string,
  seals: (part) => {
    if (part.type !== "thinking") return [];
    const { signature, data } = dataOf(part.providerData);
    return [signature ?? data].filter((sealed) => typeof sealed === "string");
  },
  serverTool: (part) => {
    if (part.type === "native") return dataOf(part.data)["type"] as string;
    return part.isProviderExecuted ? (dataOf(part.providerData)["type"] as string) : undefined;
  },
  errorCode: ({ error }) => {
    const { type, message } = dataOf(error);
    if (type === "overloaded_error") return "overloaded";
    return String(message).includes("prompt is too long") ? "context_overflow" : undefined;
  },
  // The recordings count neighbouring texts as one and do not count thinking tokens; a test of its own compares the blocks one by one.
  except: () => ["order", "usage.reasoning"],
};

/** What the vendor calls the block that a part came from. */
export function blockType(part: AssistantPart): string {
  switch (part.type) {
    case "thinking":
      return (dataOf(part.providerData)["type"] as string | undefined) ?? "thinking";
    case "tool_call":
      return claudeAdapter.serverTool?.(part) ?? "tool_use";
    case "native":
      return dataOf(part.data)["type"] as string;
    case "text":
    case "refusal":
      return part.type;
    default:
      return part satisfies never;
  }
}
