/** The agent of `capacity-worker.ts`: its model looks twice and answers, or calls a tool that runs elsewhere, or stands still in its answer. */
import type { Agent } from "@capstan/core";
import { createAgent, defineTool } from "@capstan/core";
import type { ProviderContract, ProviderPart } from "@capstan/kernel";

const planned: ProviderContract = {
  id: "planned",
  contextWindow: 1_000_000,
  async *stream({ messages, step }): AsyncGenerator<ProviderPart> {
    const last = messages.at(-1);
    if (last?.role === "user" && last.content === "stand") {
      yield { type: "text_delta", delta: "At " };
      await new Promise(() => {});
    }
    const isAsked = last?.role === "user" && last.content === "ask";
    if (!isAsked && step > 2) {
      yield { type: "text_delta", delta: "At 7.15." };
      yield { type: "finish", reason: "stop" };
      return;
    }
    yield { type: "toolcall_start", index: 0, name: isAsked ? "ask" : "look" };
    yield { type: "toolcall_delta", index: 0, delta: "{}" };
    yield { type: "toolcall_end", index: 0 };
    yield { type: "finish", reason: "tool-calls" };
  },
};

export function createWorkAgent(): Agent {
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    execute: () => "The train to Oslo leaves at 7.15.",
  });
  const ask = defineTool({ name: "ask", description: "Asks", input: { type: "object" } });
  return createAgent({ name: "worker", model: planned, tools: [look, ask] });
}
