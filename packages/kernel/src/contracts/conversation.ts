/** The messages of a transcript: plain JSON, the same in memory, in the log and on the wire. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * Why a reply or a turn ended. The known reasons are listed; the type stays open, so that a reason that only one
 * provider knows passes through as it is.
 */
export type FinishReason =
  | "stop"
  | "tool-calls"
  | "length"
  | "content-filter"
  | "pause"
  | "max-steps"
  | "budget-exceeded"
  | "context-exhausted"
  | "error"
  | "aborted"
  | (string & {});

/** A part of a message of the transcript, by its place in the message's content. */
export interface PartReference {
  readonly messageId: string;
  readonly part: number;
}

/** An error as it is stored and sent: no stack, no class. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The part of the conversation that the vendor will not take, where it named one. */
  readonly rejected?: PartReference;
}

/** Token counts. A field that no provider reported is absent, never 0. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of `inputTokens` that was read from the provider's prompt cache. */
  readonly cacheReadTokens?: number;
  /** Part of `inputTokens` that was written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens` that was spent on thinking. */
  readonly reasoningTokens?: number;
  /** How many attempts of a sum reported nothing. The other fields are then a lower bound. */
  readonly unreportedAttempts?: number;
}

/** Who made an assistant message. Native parts go back only to a target that may read this origin. */
export interface Origin {
  readonly provider: string;
  readonly api?: string;
  readonly model?: string;
  /** Host and port that answered. Absent if the provider has none, and in messages of before hosts were recorded. */
  readonly host?: string;
}

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** What the provider needs back with this part, verbatim. Nobody else reads it. */
  readonly providerData?: JsonValue;
}

export interface ThinkingPart {
  readonly type: "thinking";
  readonly thinking: string;
  /** The signature or encrypted content. Thinking without it is unsigned. */
  readonly providerData?: JsonValue;
}

export interface RefusalPart {
  readonly type: "refusal";
  readonly text: string;
  readonly providerData?: JsonValue;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  /** Ours, unique in the session; what the vendor called it is in `providerData`. */
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; `{}` when they were not JSON. */
  readonly input: JsonValue;
  /** The arguments as they came, only when they were cut off or not JSON. Such a call is never executed. */
  readonly malformedInput?: string;
  /** The provider ran it by itself: no result of ours belongs to it. */
  readonly isProviderExecuted?: boolean;
  readonly providerData?: JsonValue;
}

/** A block that only its origin understands (a provider's own tool result, a citation list). */
export interface NativePart {
  readonly type: "native";
  readonly data: JsonValue;
}

/** An image, embedded or by its URL. */
export type ImagePart = EmbeddedImage | LinkedImage;

interface EmbeddedImage {
  readonly type: "image";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

interface LinkedImage {
  readonly type: "image";
  /** `image/*` if it is not known. */
  readonly mediaType: string;
  /** With http or https. Vendors that can fetch it; other models are told of it. */
  readonly url: string;
}

/** A document, embedded or by its URL. */
export type DocumentPart = EmbeddedDocument | LinkedDocument;

interface EmbeddedDocument {
  readonly type: "document";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly name?: string;
}

interface LinkedDocument {
  readonly type: "document";
  readonly mediaType: string;
  /** As that of an image. */
  readonly url: string;
  readonly name?: string;
}

export type UserPart = TextPart | ImagePart | DocumentPart;
export type AssistantPart = TextPart | ThinkingPart | RefusalPart | ToolCallPart | NativePart;
export type ToolContentPart = TextPart | ImagePart | DocumentPart;
export type ToolContent = string | readonly ToolContentPart[];

export interface SystemMessage {
  readonly role: "system";
  readonly id: string;
  readonly content: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly id: string;
  readonly content: string | readonly UserPart[];
  /** Set on messages that the runtime wrote in the user's place. */
  readonly source?: "interruption" | "closing" | "repair";
  readonly metadata?: JsonValue;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly id: string;
  readonly content: readonly AssistantPart[];
  /** `aborted` and `error` mark a partial reply. One with `error` is never shown to a model again. */
  readonly stopReason: FinishReason;
  readonly usage?: Usage;
  readonly origin?: Origin;
  /** What the provider said about the reply besides its content. */
  readonly metadata?: JsonValue;
  readonly error?: SerializedError;
}

/** All of an output of which a message has the beginning and the end only. */
export interface KeptOutput {
  /** The blob of the session that has it. */
  readonly blob: string;
  /** The text as it is, or the content as JSON. */
  readonly mediaType: "text/plain" | "application/json";
  /** Of its text. */
  readonly chars: number;
}

/** The one result of one call. Its `id` is the id of the call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly id: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: ToolContent;
  readonly isError: boolean;
  /** For user interfaces; the model never sees them. */
  readonly details?: JsonValue;
  readonly meta?: JsonValue;
  /** Where the whole is, if `content` is not. */
  readonly kept?: KeptOutput;
}

/** A message of the application. The default conversion drops it before a request. */
export interface CustomMessage {
  readonly role: "custom";
  readonly id: string;
  readonly kind: string;
  readonly data: JsonValue;
}

export type ChatMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | CustomMessage;
