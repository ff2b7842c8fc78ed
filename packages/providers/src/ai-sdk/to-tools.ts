/** Converts our tools to AI SDK tools. */
import type { JsonValue, Logger, ToolContract, ToolExecuteContext } from "@capstan/kernel";
import { ProviderError, hashJson } from "@capstan/kernel";
import type { AiSdkToolOutput } from "./prompt.ts";
import { runTool } from "./run-tool.ts";
import { toModelOutput } from "./tool-return.ts";
import type { AiSdkInputSchema } from "./tool-schema.ts";
import { toInputSchema } from "./tool-schema.ts";

/** A tool that fits into an AI SDK `ToolSet`. */
export interface AiSdkTool {
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkInputSchema;
  readonly execute?: (input: unknown, call: AiSdkCall) => AsyncIterable<unknown>;
  readonly toModelOutput?: (result: { readonly output: unknown }) => AiSdkToolOutput;
  readonly needsApproval?: boolean | ((input: unknown) => boolean | Promise<boolean>);
}

/** Facts the AI SDK passes about a call. */
export interface AiSdkCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Facts about the turn that tools get and the AI SDK does not provide. */
export interface ToAiSdkToolsOptions {
  /** Part of the keys of `idempotent` tools. Default "ai-sdk". */
  readonly conversationId?: string;
  readonly cwd?: string;
  readonly logger?: Logger;
}

/**
 * Converts tools for `generateText({ tools })`. Features the AI SDK lacks are dropped: timeouts, effects, `sequential`, `isTerminal`, and usage
 * reported by tools. Bind tools with dependencies first, with `bindTools`. Throws a `ProviderError` if two tools share a name.
 */
export function toAiSdkTools(
  tools: readonly ToolContract[],
  options: ToAiSdkToolsOptions = {},
): Record<string, AiSdkTool> {
  const named = new Map<string, AiSdkTool>();
  for (const tool of tools) {
    const { name } = tool;
    if (named.has(name)) {
      const message = `Two tools are named "${name}", but the AI SDK needs unique names: rename one`;
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
  // The input comes from the model, so it is JSON.
  return (input) => needsApproval(input as JsonValue);
}

const neverAborted = new AbortController().signal;

function contextOf(
  { toolCallId, abortSignal }: AiSdkCall,
  { conversationId = "ai-sdk", cwd, logger }: ToAiSdkToolsOptions,
): Omit<ToolExecuteContext, "update"> {
  return {
    toolCallId,
    conversationId,
    // The AI SDK has no turns.
    turnId: "",
    step: 0,
    signal: abortSignal ?? neverAborted,
    cwd,
    logger,
    idempotencyKey: hashJson([conversationId, toolCallId]),
    usage: () => {},
  };
}
