/**
 * Messages as AI SDK models and functions take them: each is also a valid `ModelMessage`. Lists are mutable because the AI SDK's own types
 * require that. A type test checks these types against the AI SDK's.
 */

export type AiSdkJson =
  | null
  | boolean
  | number
  | string
  | AiSdkJson[]
  | { readonly [key: string]: AiSdkJson };

export type AiSdkJsonObject = { readonly [key: string]: AiSdkJson };

/** Provider-specific options, by provider name. */
export type AiSdkProviderOptions = Record<string, AiSdkJsonObject>;

interface WithOptions {
  readonly providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkTextPart extends WithOptions {
  readonly type: "text";
  readonly text: string;
}

/** Base64 or a URL. */
export type AiSdkFileData =
  | { readonly type: "data"; readonly data: string }
  | { readonly type: "url"; readonly url: URL };

export interface AiSdkFilePart extends WithOptions {
  readonly type: "file";
  readonly mediaType: string;
  readonly data: AiSdkFileData;
  readonly filename?: string;
}

interface AiSdkReasoningPart extends WithOptions {
  readonly type: "reasoning";
  readonly text: string;
}

export interface AiSdkReasoningFilePart extends WithOptions {
  readonly type: "reasoning-file";
  readonly mediaType: string;
  readonly data: AiSdkFileData;
}

export interface AiSdkCustomPart extends WithOptions {
  readonly type: "custom";
  readonly kind: `${string}.${string}`;
}

interface AiSdkToolCallPart extends WithOptions {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: AiSdkJson;
  readonly providerExecuted?: boolean;
}

export type AiSdkToolOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: AiSdkJson }
  | { readonly type: "content"; readonly value: (AiSdkTextPart | AiSdkFilePart)[] };

export interface AiSdkToolResultPart extends WithOptions {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: AiSdkToolOutput;
}

export type AiSdkReplyPart =
  | AiSdkTextPart
  | AiSdkReasoningPart
  | AiSdkFilePart
  | AiSdkReasoningFilePart
  | AiSdkCustomPart
  | AiSdkToolCallPart
  | AiSdkToolResultPart;

/** Message of a prompt of the AI SDK. */
export type AiSdkMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: (AiSdkTextPart | AiSdkFilePart)[] }
  | { readonly role: "assistant"; readonly content: AiSdkReplyPart[] }
  | { readonly role: "tool"; readonly content: AiSdkToolResultPart[] };
