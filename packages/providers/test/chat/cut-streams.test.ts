import { describe } from "vitest";
import { openAiChat } from "../../src/protocols/openai-chat/openai-chat.ts";
import { survivesCuts } from "../fixtures-harness/cut-streams.ts";
import { dataOf } from "../fixtures-harness/exchange-transcript.ts";
import { chatTarget } from "./requests.ts";

const said = [
  "content",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "refusal",
  "tool_calls",
];

describe("Chat Completions", () => {
  survivesCuts({
    protocol: openAiChat,
    target: chatTarget("a-model"),
    hasEnded: (events) => events.findLastIndex(isEnd) >= events.findLastIndex(speaks),
  });
});

function isEnd(data: string): boolean {
  return data === "[DONE]" || Boolean(choiceIn(data)["finish_reason"]);
}

function speaks(data: string): boolean {
  const delta = dataOf(choiceIn(data)["delta"]);
  return said.some((field) => (delta[field] ?? "") !== "");
}

function choiceIn(data: string): Readonly<Record<string, unknown>> {
  if (data === "[DONE]") return {};
  const { choices } = JSON.parse(data) as { readonly choices?: readonly unknown[] };
  return dataOf(choices?.[0]);
}
