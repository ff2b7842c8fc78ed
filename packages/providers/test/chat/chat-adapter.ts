/** What the comparison with recordings has to know of this protocol, and of the many servers that speak it. */
import type { FinishReason } from "@capstan/kernel";
import type { ReplyAdapter } from "../fixtures-harness/compare-reply.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  tool_calls: "tool-calls",
  length: "length",
  content_filter: "content-filter",
};

export const chatAdapter: ReplyAdapter = {
  finishReason: (word, { tool_calls: calls }) =>
    word === "stop" && calls.length > 0 ? "tool-calls" : reasons[word],
  callId: (call) => dataOf(call.providerData)["id"] as string,
  // The recordings name the fields of reasoning that is sealed, and not what is in them.
  seals: () => [],
  except: ({ refusal, tool_calls: calls, reasoning_fields: fields, order }) => [
    // The recordings do not count refusals.
    ...(refusal === undefined ? [] : ["order"]),
    // A call of one recording has no field for its arguments: none were meant.
    ...(calls.some((call) => call.arguments_raw === null) ? ["tool_calls"] : []),
    ...(hasDetailsOnly(fields) ? ["reasoning", "order"] : []),
    // A seal that comes behind a call is a part of its own.
    ...(order?.includes("tool_call") === true && isSealed(fields) ? ["order"] : []),
  ],
};

/** The recordings read reasoning in the fields for it alone; we find it in the details, too. */
function hasDetailsOnly(fields: unknown): boolean {
  const names = (fields ?? []) as readonly string[];
  return names.length > 0 && names.every((name) => name.startsWith("reasoning_details"));
}

function isSealed(fields: unknown): boolean {
  return ((fields ?? []) as readonly string[]).includes("reasoning_details:reasoning.encrypted");
}
