/** A parsed request to the Gemini API: every name in one spelling. */
import type { JsonValue } from "@capstan/kernel";
import type { JsonObject } from "../json.ts";

export interface GenerateRequest {
  readonly contents?: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly Tool[];
  readonly toolConfig?: {
    readonly functionCallingConfig?: {
      readonly mode?: string;
      readonly allowedFunctionNames?: readonly string[];
    };
    readonly includeServerSideToolInvocations?: boolean;
  };
  readonly generationConfig?: GenerationConfig;
}

export interface GenerationConfig {
  readonly stopSequences?: readonly string[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly responseMimeType?: string;
  readonly responseSchema?: JsonObject;
  readonly responseJsonSchema?: JsonValue;
  readonly thinkingConfig?: {
    readonly includeThoughts?: boolean;
    readonly thinkingBudget?: number;
    readonly thinkingLevel?: string;
  };
}

export interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: Blob;
  readonly fileData?: JsonObject;
  readonly functionCall?: {
    readonly id?: string;
    readonly name?: string;
    readonly args?: JsonObject;
  };
  readonly functionResponse?: {
    readonly id?: string;
    readonly name?: string;
    readonly response?: JsonObject;
    readonly parts?: readonly { readonly inlineData?: Blob }[];
  };
}

export interface Blob {
  readonly mimeType?: string;
  readonly data?: string;
}

export interface Tool {
  readonly functionDeclarations?: readonly FunctionDeclaration[];
  readonly [own: string]: unknown;
}

export interface FunctionDeclaration {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly parametersJsonSchema?: JsonValue;
}

export function callsOf({ parts = [] }: Content): NonNullable<Part["functionCall"]>[] {
  return parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.functionCall]));
}

export function responsesOf({ parts = [] }: Content): NonNullable<Part["functionResponse"]>[] {
  return parts.flatMap((part) =>
    part.functionResponse === undefined ? [] : [part.functionResponse],
  );
}

export function isOfModel({ role }: Content): boolean {
  return role === "model";
}

export function declarationsOf({ tools = [] }: GenerateRequest): FunctionDeclaration[] {
  return tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
}
