/** The request on the wire: the parts this protocol uses. A type test checks it against the vendor's own types. */
import type { JsonValue } from "@capstan/kernel";

export interface TextPart {
  readonly text: string;
  readonly thoughtSignature?: string;
}

export type MediaPart =
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly mimeType: string; readonly fileUri: string } };

export interface CallPart {
  readonly functionCall: {
    readonly name: string;
    readonly args: { readonly [key: string]: JsonValue };
    readonly id?: string;
  };
  readonly thoughtSignature?: string;
}

export interface ResultPart {
  readonly functionResponse: {
    readonly name: string;
    readonly response: { readonly output: string } | { readonly error: string };
    readonly id?: string;
  };
}

/** A part that is sent back unchanged: vendor-run tools and future kinds. */
interface NativePart {
  readonly [key: string]: JsonValue;
}

export type UserPart = TextPart | MediaPart | ResultPart;
export type ModelPart = TextPart | CallPart | NativePart;

export type Content =
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "model"; readonly parts: readonly ModelPart[] };

export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: { readonly [key: string]: unknown };
}

export interface ThinkingConfig {
  readonly includeThoughts?: boolean;
  readonly thinkingBudget?: number;
  /** The vendor's word, in lower case. */
  readonly thinkingLevel?: string;
}

export interface GenerationConfig {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly thinkingConfig?: ThinkingConfig;
  readonly responseMimeType?: "application/json";
  readonly responseJsonSchema?: { readonly [key: string]: unknown };
}

export interface ToolConfig {
  readonly functionCallingConfig?: {
    readonly mode: "AUTO" | "NONE" | "ANY";
    readonly allowedFunctionNames?: readonly string[];
  };
  readonly includeServerSideToolInvocations?: boolean;
}

export interface GenerateRequest {
  readonly generationConfig?: GenerationConfig;
  readonly serviceTier?: string;
  readonly tools?: readonly { readonly functionDeclarations: readonly FunctionDeclaration[] }[];
  readonly systemInstruction?: { readonly parts: readonly TextPart[] };
  readonly contents: readonly Content[];
  readonly toolConfig?: ToolConfig;
}
