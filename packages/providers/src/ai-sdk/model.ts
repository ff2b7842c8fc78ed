/** The parts of the AI SDK's model interface that are used here. A type test checks them against the AI SDK's own types. */
import type { AiSdkJsonObject, AiSdkMessage, AiSdkProviderOptions } from "./prompt.ts";

/** Any AI SDK language model, version 4 or 3 of the interface. */
export interface AiSdkModel {
  readonly specificationVersion: "v3" | "v4";
  /** For example `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  // Each version has its own options.
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<object> }>;
  doGenerate(options: never): PromiseLike<object>;
}

/** A tool that the model may call. */
export interface AiSdkFunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly strict?: boolean;
  readonly inputExamples?: { readonly input: AiSdkJsonObject }[];
  readonly providerOptions?: AiSdkProviderOptions;
}

/** A vendor-defined tool. */
export interface AiSdkProviderTool {
  readonly type: "provider";
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export type AiSdkReasoning = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Settings that the AI SDK has a field for and the kernel has not. */
export interface AiSdkSampling {
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly stopSequences?: string[];
}

export interface AiSdkCallOptions extends AiSdkSampling {
  readonly prompt: AiSdkMessage[];
  readonly tools?: (AiSdkFunctionTool | AiSdkProviderTool)[];
  readonly toolChoice?:
    | { readonly type: "auto" | "none" | "required" }
    | { readonly type: "tool"; readonly toolName: string };
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoning?: AiSdkReasoning;
  readonly responseFormat?: {
    readonly type: "json";
    readonly name: string;
    readonly schema: Readonly<Record<string, unknown>>;
  };
  readonly headers?: Record<string, string>;
  readonly providerOptions?: AiSdkProviderOptions;
  readonly abortSignal: AbortSignal;
}
