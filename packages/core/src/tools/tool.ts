/** A tool: what the kernel asks of one, and what the layers above it read. */
import type {
  ToolContract,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolReturn,
} from "@capstan/kernel";

/** What `execute` may return. */
export type ToolExecution = ToolReturn | Promise<ToolReturn> | AsyncIterable<ToolExecutionEvent>;

/** `Input` is what `execute` gets. The kernel takes a tool as it is; `bindTools` gives it its dependencies. */
export interface Tool<Input = never> extends ToolContract {
  execute?(input: Input, context: ToolExecuteContext): ToolExecution;
  /** Only the last so many outputs stay in the context. Read by the context layer. */
  readonly ephemeral?: number;
}

/** A tool of whatever input: what lists of tools are made of. Every `ToolContract` is one. */
export type AnyTool = Tool;
