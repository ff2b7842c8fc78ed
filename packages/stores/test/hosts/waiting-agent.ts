/** An agent that stops in the middle of what it does, until it is let through. */
import { createAgent, defineTool } from "@capstan/core";
import type { Agent } from "@capstan/core";
import type { ProviderContract, ProviderPart } from "@capstan/kernel";

export function createWaitingAgent(name: string, pass: () => Promise<void>): Agent {
  const wait = defineTool({
    name: "wait",
    description: "Waits to be let through",
    input: { type: "object" },
    async execute() {
      await pass();
      return "waited";
    },
  });
  const ask = defineTool({
    name: "ask",
    description: "Is never answered",
    input: { type: "object" },
    answerWithinMs: 300,
  });
  const wonder = { ...ask, name: "wonder", answerWithinMs: 600_000 };
  const model = obedient(pass);
  return createAgent({ name, model, tools: [wait, ask, wonder], retry: { maxAttempts: 1 } });
}

/** Calls the tool that the user names, or says a sentence and waits in the middle of it. */
function obedient(pass: () => Promise<void>): ProviderContract {
  return {
    id: "obedient",
    contextWindow: 100_000,
    async *stream({ messages }): AsyncGenerator<ProviderPart> {
      const last = messages.at(-1);
      const name = last?.role === "user" && typeof last.content === "string" ? last.content : "";
      if (name !== "talk" && name !== "") {
        yield { type: "toolcall_start", index: 0, name };
        yield { type: "toolcall_delta", index: 0, delta: "{}" };
        yield { type: "toolcall_end", index: 0 };
        yield { type: "finish", reason: "tool-calls" };
        return;
      }
      yield { type: "text_delta", delta: "One, " };
      yield { type: "text_delta", delta: "two, " };
      if (name === "talk") await pass();
      yield { type: "text_delta", delta: "three." };
      yield { type: "finish", reason: "stop" };
    },
  };
}
