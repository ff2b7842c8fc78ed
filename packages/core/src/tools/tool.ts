/** A tool: the kernel's contract, and the fields that the layers above it read. */
import type {
  JsonValue,
  ToolContract,
  ToolExecuteContext,
  ToolReturn,
  ToolYield,
} from "@capstan/kernel";
import type { TurnContext } from "./turn-context.ts";

/** Return values of `execute`. */
export type ToolExecution = ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;

/** `Input` is the input of `execute`. The kernel accepts a tool unchanged; `bindTools` adds its dependencies. */
export interface Tool<Input = never> extends ToolContract {
  execute?(input: Input, context: ToolExecuteContext): ToolExecution;
  /** Suspends the call until it is approved. `bindTools` adds the context; the kernel calls it without one. */
  readonly needsApproval?:
    | boolean
    | ((input: JsonValue, context?: TurnContext) => boolean | Promise<boolean>);
  /** Number of outputs that stay in the context: the most recent ones. Read by the context layer. */
  readonly ephemeral?: number;
}

/** A tool with any input, for lists of tools. Every `ToolContract` is one. */
export type AnyTool = Tool;
