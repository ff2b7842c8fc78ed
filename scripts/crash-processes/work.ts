// What the workers do: an agent whose model is a function of the conversation, and tools that leave a trace in a file of their own.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "@capstan/core";
import { agentTool, createAgent, defineTool } from "@capstan/core";
import type { ProviderContract, ProviderPart, ProviderRequest, ToolEffect } from "@capstan/kernel";

/** One line of the file of effects. */
export interface Effect {
  readonly tool: string;
  readonly toolCallId: string;
  readonly key: string;
  readonly pid: number;
}

const effects: Readonly<Record<string, ToolEffect>> = {
  pay: "at-most-once",
  note: "idempotent",
  look: "pure",
};

/** It is never answered: the turn continues after its deadline, in whichever process runs then. */
const ask = defineTool({
  name: "ask",
  description: "Waits for an answer that never comes",
  input: { type: "object" },
  answerWithinMs: 150,
});

/** Name of the agent that the first one uses as a tool, and of that tool. */
export const childName = "child";

/** Name of the tool that starts the same agent in the background. */
export const backgroundName = "background";

/** Plan of every child: its steps wait, repeat and must not repeat. */
const childPlan = "pay,look|ask,note|pay";

/** Plan of a turn: calls of one step parted by commas, steps by bars, as in `pay,note|look`; after a hash the age of the session that it is said to. */
export function planFor(random: () => number, age: number): string {
  const names = [...Object.keys(effects), ask.name, childName, backgroundName];
  const step = (): string =>
    Array.from(
      { length: 1 + Math.floor(random() * 3) },
      () => names[Math.floor(random() * names.length)],
    ).join(",");
  return `${Array.from({ length: 1 + Math.floor(random() * 3) }, step).join("|")}#${age}`;
}

/** Age of the session that a plan was said to. */
export function ageIn(text: string): number {
  return Number(text.split("#")[1]);
}

export function createWorkAgent(effectsFile: string): Agent {
  const tools = Object.entries(effects).map(([name, effect]) =>
    defineTool({
      name,
      description: `Leaves a trace (${effect})`,
      input: { type: "object" },
      effect,
      async execute(_, { toolCallId, idempotencyKey: key }) {
        const line: Effect = { tool: name, toolCallId, key, pid: process.pid };
        // One write of less than a page, opened for appending: whole, or not there, whatever dies when.
        appendFileSync(effectsFile, `${JSON.stringify(line)}\n`);
        await sleep(Math.random() * 10);
        return "done";
      },
    }),
  );
  const init = { model: planned, retry: { maxAttempts: 1 } };
  const child = createAgent({ ...init, name: childName, tools: [...tools, ask] });
  const asTool = agentTool(child, { description: "Follows a plan of its own" });
  const inBackground = agentTool(child, {
    name: backgroundName,
    description: "Follows a plan of its own, later",
    mode: "background",
  });
  return createAgent({ ...init, name: "worker", tools: [...tools, ask, asTool, inBackground] });
}

/** Follows the plan in the last message of the user, step by step, and then says that it is done. */
const planned: ProviderContract = {
  id: "planned",
  contextWindow: 1_000_000,
  async *stream(request): AsyncGenerator<ProviderPart> {
    await sleep(Math.random() * 8);
    const step = stepOf(request);
    for (const [index, name] of step.entries()) {
      yield { type: "toolcall_start", index, name };
      const isChild = name === childName || name === backgroundName;
      const delta = isChild ? JSON.stringify({ task: childPlan }) : "{}";
      yield { type: "toolcall_delta", index, delta };
      yield { type: "toolcall_end", index };
    }
    if (step.length === 0) {
      for (const delta of ["All ", "is ", "done."]) {
        yield { type: "text_delta", delta };
        await sleep(Math.random() * 2);
      }
    }
    yield { type: "finish", reason: step.length === 0 ? "stop" : "tool-calls" };
  },
};

function stepOf({ messages }: ProviderRequest): readonly string[] {
  const start = messages.findLastIndex(
    (message) => message.role === "user" && message.source === undefined,
  );
  const { content } = messages[start] as { readonly content: unknown };
  const done = messages.slice(start).filter(({ role }) => role === "assistant").length;
  const step = String(content).split("#")[0]?.split("|")[done];
  return step === undefined ? [] : step.split(",");
}
