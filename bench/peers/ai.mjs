/** The AI SDK: `streamText` with a tool, its stream read to the end. It keeps nothing, so a turn that is killed is gone. */
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { toolResult } from "../script.mjs";
import { aiScriptModel, toModelMessages } from "./ai-script-model.mjs";
import { anthropicModel, openaiModel } from "./ai-wire-models.mjs";

/** @type {import("../subject.ts").Subject} */
export const subject = {
  name: "ai",
  goals: {},
  packageFolder: "bench/peers/node_modules/ai",
  async createAgent(options) {
    const model = aiScriptModel(options, "v4");
    const weather = tool({
      description: "The weather of a city",
      inputSchema: z.object({ city: z.string(), days: z.number() }),
      execute: async () => {
        options.seenRef.seen.tools++;
        return toolResult;
      },
    });
    const stopWhen = isStepCount(options.script.toolSteps + 1);
    return {
      prepareHistory: toModelMessages,
      async turn(messages, seen) {
        return read(streamText({ model, messages, tools: { weather }, stopWhen }), seen);
      },
    };
  },
  wire: {
    openai: async ({ baseURL, seen }) => ask(await openaiModel(baseURL), seen),
    anthropic: async ({ baseURL, seen }) => ask(await anthropicModel(baseURL), seen),
  },
};

async function read(result, seen) {
  for await (const part of result.fullStream) {
    seen.events++;
    if (part.type === "text-delta") seen.delta(part.text);
  }
  return result.text;
}

async function ask(model, seen) {
  return read(streamText({ model, prompt: "go" }), seen);
}
