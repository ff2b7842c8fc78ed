/** What a tool of the AI SDK says to its models besides its name, description and schema. Tools that were made of one carry it along. */
import type { ToolDeclaration } from "@capstan/kernel";
import type { AiSdkFunctionTool, AiSdkProviderTool } from "./model.ts";

export type AiSdkToolSettings =
  | Pick<AiSdkFunctionTool, "strict" | "inputExamples" | "providerOptions">
  | (Pick<AiSdkProviderTool, "type" | "id" | "args"> & {
      /** The provider runs it: no call of it is waited for. */
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

/** Whether a call of it is the caller's to run. */
export function isRunByCaller({ aiSdk = {} }: DeclaredTool): boolean {
  return !("type" in aiSdk) || !aiSdk.isProviderExecuted;
}
