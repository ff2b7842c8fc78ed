/** Mastra: `Agent.stream` without memory, its stream read to the end. */
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { toolResult } from "../script.mjs";
import { aiScriptModel, toModelMessages } from "./ai-script-model.mjs";

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
        const output = await agent.stream(messages, { maxSteps });
        for await (const chunk of output.fullStream) {
          seen.events++;
          if (chunk.type === "text-delta") seen.delta(chunk.payload.text);
        }
        return output.text;
      },
    };
  },
};
