/** Tools of ours as tools of the AI SDK. */
import type { JsonValue, Logger, ToolContract, ToolExecuteContext } from "@capstan/kernel";
import { ProviderError, hashJson } from "@capstan/kernel";
import type { AiSdkToolOutput } from "./prompt.ts";
import { runTool } from "./run-tool.ts";
import { toModelOutput } from "./tool-return.ts";
import type { AiSdkInputSchema } from "./tool-schema.ts";
import { toInputSchema } from "./tool-schema.ts";

/** One that fits into a `ToolSet` of the AI SDK. */
export interface AiSdkTool {
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkInputSchema;
  readonly execute?: (input: unknown, call: AiSdkCall) => AsyncIterable<unknown>;
  readonly toModelOutput?: (result: { readonly output: unknown }) => AiSdkToolOutput;
  readonly needsApproval?: boolean | ((input: unknown) => boolean | Promise<boolean>);
}

/** What the AI SDK says of a call. */
export interface AiSdkCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What tools are told of their turn, which the AI SDK does not have. */
export interface ToAiSdkToolsOptions {
  /** Keys of `idempotent` tools are made of it. Default "ai-sdk". */
  readonly conversationId?: string;
  readonly cwd?: string;
  readonly logger?: Logger;
}

/**
 * For `generateText({ tools })`. What the AI SDK has no word for does not come along: timeouts, effects, `sequential`, `isTerminal`, the usage that
 * a tool reports. Tools with dependencies have to be bound first, with `bindTools`. Throws a `ProviderError` if two have one name.
 */
export function toAiSdkTools(
  tools: readonly ToolContract[],
  options: ToAiSdkToolsOptions = {},
): Record<string, AiSdkTool> {
  const named = new Map<string, AiSdkTool>();
  for (const tool of tools) {
    const { name } = tool;
    if (named.has(name)) {
      const message = `There are two tools "${name}", and the AI SDK tells tools apart by their names: rename one`;
      throw new ProviderError("invalid_request", message);
    }
    named.set(name, toTool(tool, options));
  }
  return Object.fromEntries(named);
}

function toTool(tool: ToolContract, options: ToAiSdkToolsOptions): AiSdkTool {
  const { description, label, needsApproval } = tool;
  return {
    description,
    ...(label !== undefined && { title: label }),
    inputSchema: toInputSchema(tool),
    ...(needsApproval !== undefined && { needsApproval: toRule(needsApproval) }),
    ...(tool.execute !== undefined && {
      execute: (input: unknown, call: AiSdkCall) => runTool(tool, input, contextOf(call, options)),
      toModelOutput: ({ output }: { readonly output: unknown }) => toModelOutput(output),
    }),
  };
}

function toRule(
  needsApproval: NonNullable<ToolContract["needsApproval"]>,
): NonNullable<AiSdkTool["needsApproval"]> {
  if (typeof needsApproval === "boolean") return needsApproval;
  // It is what the model sent, which is JSON.
  return (input) => needsApproval(input as JsonValue);
}

const nobodyAborts = new AbortController().signal;

function contextOf(
  { toolCallId, abortSignal }: AiSdkCall,
  { conversationId = "ai-sdk", cwd, logger }: ToAiSdkToolsOptions,
): Omit<ToolExecuteContext, "update"> {
  return {
    toolCallId,
    conversationId,
    // The AI SDK has none.
    turnId: "",
    step: 0,
    signal: abortSignal ?? nobodyAborts,
    cwd,
    logger,
    idempotencyKey: hashJson([conversationId, toolCallId]),
    usage: () => {},
  };
}
