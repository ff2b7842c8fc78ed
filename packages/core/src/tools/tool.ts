/** A tool: the kernel's contract, and the fields that the layers above it read. */
import type { ToolContract, ToolExecuteContext, ToolReturn, ToolYield } from "@capstan/kernel";

/** Return values of `execute`. */
export type ToolExecution = ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;

/** `Input` is the input of `execute`. The kernel accepts a tool unchanged; `bindTools` adds its dependencies. */
export interface Tool<Input = never> extends ToolContract {
  execute?(input: Input, context: ToolExecuteContext): ToolExecution;
  /** Number of outputs that stay in the context: the most recent ones. Read by the context layer. */
  readonly ephemeral?: number;
}

/** A tool with any input, for lists of tools. Every `ToolContract` is one. */
export type AnyTool = Tool;
