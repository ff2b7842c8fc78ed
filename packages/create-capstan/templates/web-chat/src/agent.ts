import { createAgent, defineTool } from "@capstan/core";
import type { ModelChoice } from "@capstan/core";
import { anthropic } from "@capstan/providers/anthropic";
import { z } from "zod";

const weather = defineTool({
  name: "weather",
  description: "Today's weather in a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}, 12 °C`,
});

/** Creates the agent. Tests pass a scripted model. */
export function createAssistant(model: ModelChoice = anthropic("claude-sonnet-5-5")) {
  return createAgent({
    name: "assistant",
    model,
    instructions: "You answer in one or two sentences.",
    tools: [weather],
  });
}
