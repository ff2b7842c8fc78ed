/**
 * Messages as the models of the AI SDK take them, and as its functions do: each of them is also one of its `ModelMessage`s. Lists may be
 * written to, because its own types ask for that. A type test holds these to the AI SDK's own.
 */

export type AiSdkJson =
  | null
  | boolean
  | number
  | string
  | AiSdkJson[]
  | { readonly [key: string]: AiSdkJson };

export type AiSdkJsonObject = { readonly [key: string]: AiSdkJson };

/** What only one provider knows, under its name. */
export type AiSdkProviderOptions = Record<string, AiSdkJsonObject>;

interface WithOptions {
  readonly providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkTextPart extends WithOptions {
  readonly type: "text";
  readonly text: string;
}

/** Base64, or where it is. */
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

export type AiSdkMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: (AiSdkTextPart | AiSdkFilePart)[] }
  | { readonly role: "assistant"; readonly content: AiSdkReplyPart[] }
  | { readonly role: "tool"; readonly content: AiSdkToolResultPart[] };
