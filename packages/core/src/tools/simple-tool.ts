/** A tool that takes its input and returns one result. */
import type { InputOf, InputSchema, ToolContentPart } from "@capstan/kernel";
import type { ToolDefinition } from "./define-tool.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

export interface SimpleToolResult {
  /** Output for the model. */
  readonly output: string | readonly ToolContentPart[];
  /** For user interfaces; the model never sees it. */
  readonly details?: unknown;
}

/** The handler gets the id of the call and the validated input. An error it throws becomes an error result. */
export function createSimpleTool<Schema extends InputSchema>(
  config: Omit<ToolDefinition<Schema>, "execute">,
  handler: (id: string, params: InputOf<Schema>) => SimpleToolResult | Promise<SimpleToolResult>,
): Tool<InputOf<Schema>> {
  const definition: ToolDefinition<Schema> = {
    ...config,
    async *execute(input, { toolCallId }) {
      const { output, details } = await handler(toolCallId, input);
      yield { type: "complete", output, details };
    },
  };
  return defineTool(definition);
}
