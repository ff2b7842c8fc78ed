/** A provider and the kernel behind it: from the bytes of a reply to the message, with a listener. */
import type { ProviderContract } from "@capstan/kernel";
import { runTurn, toTurnResponse } from "@capstan/kernel";
import { anthropic } from "@capstan/providers/anthropic";
import { openai } from "@capstan/providers/openai";
import type { Subject, WireOptions } from "../subject.ts";

interface Model {
  readonly provider: ProviderContract;
  readonly id: string;
}

let turns = 0;

export const subject: Subject = {
  name: "provider",
  goals: { B6: { ratio: 2 } },
  wire: {
    openai: (options) =>
      ask(openai("gpt-5", { apiKey: "key", baseUrl: `${options.baseURL}/v1` }), options),
    anthropic: (options) =>
      ask(anthropic("claude-sonnet-5", { apiKey: "key", baseUrl: options.baseURL }), options),
  },
};

async function ask({ provider, id }: Model, { seen }: WireOptions): Promise<string | undefined> {
  const result = await runTurn({
    provider,
    messages: [{ role: "user", id: "message_1", content: "go" }],
    tools: [],
    dispatch: {},
    emit(event) {
      seen.events++;
      if (event.type === "text_delta") seen.delta(event.delta);
    },
    conversationId: "bench",
    turnId: `turn_${turns++}`,
    providerOpts: { model: id },
  });
  return toTurnResponse(result).text;
}
