/** Mastra: `Agent.stream` without memory, its stream read to the end. */
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { toolResult } from "../script.mjs";
import { aiScriptModel, toModelMessages } from "./ai-script-model.mjs";
import { anthropicModel, openaiModel } from "./ai-wire-models.mjs";

/** @type {import("../subject.ts").Subject} */
export const subject = {
  name: "mastra",
  goals: {},
  packageFolder: "bench/peers/node_modules/@mastra/core",
  async createAgent(options) {
    const weather = createTool({
      id: "weather",
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string(), days: z.number() }),
      execute: async () => {
        options.seenRef.seen.tools++;
        return toolResult;
      },
    });
    const agent = new Agent({
      id: "script",
      name: "script",
      instructions: "",
      model: aiScriptModel(options, "v3"),
      tools: { weather },
    });
    const maxSteps = options.script.toolSteps + 1;
    return {
      prepareHistory: toModelMessages,
      async turn(messages, seen) {
        return read(await agent.stream(messages, { maxSteps }), seen);
      },
    };
  },
  wire: {
    openai: async ({ baseURL, seen }) => ask(await openaiModel(baseURL), seen),
    anthropic: async ({ baseURL, seen }) => ask(await anthropicModel(baseURL), seen),
  },
};

async function read(output, seen) {
  for await (const chunk of output.fullStream) {
    seen.events++;
    if (chunk.type === "text-delta") seen.delta(chunk.payload.text);
  }
  return output.text;
}

async function ask(model, seen) {
  const agent = new Agent({ id: "wire", name: "wire", instructions: "", model });
  return read(await agent.stream("go"), seen);
}
