/** A tool that takes its input and returns one result. */
import type { InputOf, InputSchema, ToolContentPart, ToolYield } from "@capstan/kernel";
import type { DefinedTypes, ToolDefinition } from "./define-tool.ts";
import { toTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

/** Result of a handler of `createSimpleTool`: the output for the model, and details for user interfaces. */
export interface SimpleToolResult {
  /** Output for the model. */
  readonly output: string | readonly ToolContentPart[];
  /** For user interfaces; the model never sees it. */
  readonly details?: unknown;
}

/**
 * Defines a tool by a handler of two arguments. The handler gets the id of the call and the validated input. An
 * error it throws becomes an error result.
 */
export function createSimpleTool<const Name extends string, Schema extends InputSchema>(
  config: Omit<ToolDefinition<Schema, unknown, unknown, Name>, "execute">,
  handler: (id: string, params: InputOf<Schema>) => SimpleToolResult | Promise<SimpleToolResult>,
): Tool<DefinedTypes<Name, Schema, unknown, AsyncIterable<ToolYield>>> {
  const definition: ToolDefinition<Schema> = {
    ...config,
    async *execute(input, { toolCallId }) {
      const { output, details } = await handler(toolCallId, input);
      yield { type: "complete", output, details };
    },
  };
  // As the definition says.
  return toTool(definition) as Tool<DefinedTypes<Name, Schema, unknown, AsyncIterable<ToolYield>>>;
}
