/** The AI SDK: `streamText` with a tool, its stream read to the end. It keeps nothing, so a turn that is killed is gone. */
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { toolResult } from "../script.mjs";
import { aiScriptModel, toModelMessages } from "./ai-script-model.mjs";

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
        const result = streamText({ model, messages, tools: { weather }, stopWhen });
        for await (const part of result.fullStream) {
          seen.events++;
          if (part.type === "text-delta") seen.delta(part.text);
        }
        return result.text;
      },
    };
  },
};
