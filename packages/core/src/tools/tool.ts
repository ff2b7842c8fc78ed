/** A tool: the kernel's contract, and the fields that the layers above it read. */
import type {
  JsonValue,
  ToolContract,
  ToolExecuteContext,
  ToolReturn,
  ToolYield,
} from "@capstan/kernel";
import type { AppNeed, AppSchema } from "./app-schema.ts";
import type { TurnContext } from "./turn-context.ts";

/** Return values of `execute`. */
export type ToolExecution = ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolYield>;

/** A tool with any input, for lists of tools. Every `ToolContract` is one. */
export interface AnyTool extends ToolContract {
  execute?(input: never, context: ToolExecuteContext): ToolExecution;
  /** Suspends the call until it is approved. `bindTools` adds the context; the kernel calls it without one. */
  readonly needsApproval?:
    | boolean
    | ((input: JsonValue, context?: TurnContext) => boolean | Promise<boolean>);
  /** Number of outputs that stay in the context: the most recent ones. Read by the context layer. */
  readonly ephemeral?: number;
  /** Schema of the application context that the tool needs. */
  readonly appContext?: AppSchema;
}

/**
 * `Input` is the input of `execute`, `SentApp` the application context that the tool accepts. The kernel accepts a tool unchanged;
 * `bindTools` adds its dependencies.
 */
export interface Tool<Input = never, SentApp = unknown> extends AnyTool {
  execute?(input: Input, context: ToolExecuteContext): ToolExecution;
  readonly appContext?: AppNeed<SentApp>;
}

/** A tool that can work with this application context. */
export interface ToolFor<SentApp> extends AnyTool {
  readonly appContext?: AppNeed<SentApp>;
}
