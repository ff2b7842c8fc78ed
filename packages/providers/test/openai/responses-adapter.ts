/** What the comparison with recordings has to know of this protocol. */
import type { FinishReason } from "@capstan/kernel";
import type { ReplyAdapter } from "../fixtures-harness/compare-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";

const reasons: Readonly<Record<string, FinishReason>> = {
  "incomplete:max_output_tokens": "length",
  "incomplete:content_filter": "content-filter",
  in_progress: "in_progress",
  queued: "queued",
};

export const responsesAdapter: ReplyAdapter = {
  finishReason: (word, { tool_calls: calls }) =>
    word === "completed" ? (calls.length > 0 ? "tool-calls" : "stop") : reasons[word],
  callId: (call) => dataOf(call.providerData)["id"] as string,
  seals: (part) => {
    if (part.type !== "thinking") return [];
    return [dataOf(part.providerData)["encrypted_content"]].filter(
      (sealed) => typeof sealed === "string",
    );
  },
  serverTool: (part) => {
    if (part.type === "native") return dataOf(part.data)["type"] as string;
    const { item } = dataOf(part.providerData);
    return part.isProviderExecuted ? (dataOf(item)["type"] as string) : undefined;
  },
  errorCode: ({ error }) => {
    if (typeof error === "string" && error.includes("API key")) return "auth";
    return dataOf(error)["type"] === "invalid_request_error" ? "invalid_request" : undefined;
  },
  except: ({ text, usage }) => [
    // The recordings count a text of no characters, which leaves no part.
    ...(text === "" ? ["order"] : []),
    // A newer field of the vendor, which the recordings have among the raw counts only.
    ...(usage?.cache_write === undefined ? ["usage.cache_write"] : []),
  ],
};
