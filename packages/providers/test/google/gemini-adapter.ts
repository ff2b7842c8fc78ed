/** What the comparison with recordings has to know of this protocol. */
import type { AssistantPart, FinishReason } from "@capstan/kernel";
import type { ReplyAdapter } from "../fixtures-harness/compare-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";

const reasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  MODEL_ARMOR: "content-filter",
};
const serverParts = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

export const geminiAdapter: ReplyAdapter = {
  finishReason: (word, { tool_calls: calls }) => {
    if (word === "STOP" || word === "1") return calls.length > 0 ? "tool-calls" : "stop";
    return reasons[word] ?? word;
  },
  callId: (call) => dataOf(call.providerData)["id"] as string | undefined,
  seals: (part) => [rawOf(part)["thoughtSignature"]].filter((seal) => typeof seal === "string"),
  serverTool: (part) => serverParts.find((name) => Object.hasOwn(rawOf(part), name)),
  // A call that the vendor could not read is asked for again.
  fails: ({ finish_reason: word }) => word === "MALFORMED_FUNCTION_CALL",
  errorCode: ({ error, finish_reason: word }) => {
    if (word === "MALFORMED_FUNCTION_CALL") return "protocol";
    return dataOf(error)["code"] === 499 ? "network" : undefined;
  },
};

/** What is kept of the vendor's own part. */
function rawOf(part: AssistantPart): Readonly<Record<string, unknown>> {
  if (part.type === "native") return dataOf(part.data);
  const data = dataOf("providerData" in part ? part.providerData : undefined);
  return data["part"] === undefined ? data : dataOf(data["part"]);
}
