/** Settings an AI SDK tool declares to its models besides name, description and schema. Converted tools keep them. */
import type { ToolDeclaration } from "@capstan/kernel";
import type { AiSdkFunctionTool, AiSdkProviderTool } from "./model.ts";

export type AiSdkToolSettings =
  | Pick<AiSdkFunctionTool, "strict" | "inputExamples" | "providerOptions">
  | (Pick<AiSdkProviderTool, "type" | "id" | "args"> & {
      /** True if the provider runs the tool: the caller does not wait for its calls. */
      readonly isProviderExecuted: boolean;
    });

export interface DeclaredTool extends ToolDeclaration {
  readonly aiSdk?: AiSdkToolSettings;
}

export function toModelTool(tool: DeclaredTool): AiSdkFunctionTool | AiSdkProviderTool {
  const { name, description, inputSchema, aiSdk = {} } = tool;
  if (!("type" in aiSdk)) return { type: "function", name, description, inputSchema, ...aiSdk };
  const { type, id, args } = aiSdk;
  return { type, id, name, args };
}

/** Whether the caller must run calls of this tool. */
export function isRunByCaller({ aiSdk = {} }: DeclaredTool): boolean {
  return !("type" in aiSdk) || !aiSdk.isProviderExecuted;
}
