import { describe } from "vitest";
import { googleGenerate } from "../../src/protocols/google-generate/google-generate.ts";
import { survivesCuts } from "../fixtures-harness/cut-streams.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";
import { geminiTarget } from "./requests.ts";

describe("generateContent", () => {
  survivesCuts({
    protocol: googleGenerate,
    target: geminiTarget("gemini-3.5-flash"),
    hasEnded: (events) => events.findLastIndex(isEnd) >= events.findLastIndex(speaks),
  });
});

function isEnd(data: string): boolean {
  const { candidates, promptFeedback: feedback } = dataOf(JSON.parse(data));
  return Boolean(candidateIn(candidates)["finishReason"] ?? dataOf(feedback)["blockReason"]);
}

/** Whether it adds to the reply: an empty text adds nothing. */
function speaks(data: string): boolean {
  const { content } = candidateIn(dataOf(JSON.parse(data))["candidates"]);
  const parts = (dataOf(content)["parts"] ?? []) as readonly object[];
  return parts.some((part) => dataOf(part)["text"] !== "");
}

function candidateIn(candidates: unknown): Readonly<Record<string, unknown>> {
  return dataOf((candidates as readonly unknown[] | undefined)?.[0]);
}
