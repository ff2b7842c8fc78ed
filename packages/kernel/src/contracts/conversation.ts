/** Messages of a transcript: plain JSON, identical in memory, in the log and on the wire. */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Why a reply or a turn ended. Known reasons are listed; the type stays open, so that a provider-specific reason passes through unchanged. */
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

/** A part of a message of the transcript, by its index in the message's content. */
export interface PartReference {
  readonly messageId: string;
  readonly part: number;
}

/** An error as it is stored and sent: no stack, no class. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** Part of the conversation that the vendor rejects, if it named one. */
  readonly rejected?: PartReference;
  /** Name of the guard that rejected a message or a reply. */
  readonly guard?: string;
}

/** Token counts. A field that no provider reported is undefined, never 0. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of `inputTokens` that was read from the provider's prompt cache. */
  readonly cacheReadTokens?: number;
  /** Part of `inputTokens` that was written to the provider's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens` that was spent on thinking. */
  readonly reasoningTokens?: number;
  /** Number of attempts in a sum that reported nothing. The other fields are then a lower bound. */
  readonly unreportedAttempts?: number;
}

/** Model that wrote an assistant message. Native parts go back only to a target that may read this origin. */
export interface Origin {
  readonly provider: string;
  readonly api?: string;
  readonly model?: string;
  /** Host and port that answered. Undefined if the provider has none, and in messages from before hosts were recorded. */
  readonly host?: string;
}

/** Text of a message. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** Data that the provider needs back with this part, verbatim. No other code reads it. */
  readonly providerData?: JsonValue;
}

/** Reasoning of a model. `providerData` has what the vendor needs to accept it again. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly thinking: string;
  /** Signature or encrypted content. Thinking without it is unsigned. */
  readonly providerData?: JsonValue;
}

/** Text with which the model declined to answer. */
export interface RefusalPart {
  readonly type: "refusal";
  readonly text: string;
  readonly providerData?: JsonValue;
}

/** Call of a tool that the model asks for. */
export interface ToolCallPart {
  readonly type: "tool_call";
  /** Assigned by the runtime, unique in the session; the vendor's id is in `providerData`. */
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; `{}` if they were not JSON. */
  readonly input: JsonValue;
  /** Raw arguments, only if they were truncated or not JSON. Such a call is never executed. */
  readonly malformedInput?: string;
  /** The provider executed the call itself: it gets no result from the runtime. */
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
  /** `image/*` if unknown. */
  readonly mediaType: string;
  /** An http or https URL. Vendors that can fetch it do; other models get a text that names it. */
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
  /** An http or https URL, like that of an image. */
  readonly url: string;
  readonly name?: string;
}

/** Part of a user's message. */
export type UserPart = TextPart | ImagePart | DocumentPart;
/** Part of a reply. */
export type AssistantPart = TextPart | ThinkingPart | RefusalPart | ToolCallPart | NativePart;
/** Part of a tool's output. */
export type ToolContentPart = TextPart | ImagePart | DocumentPart;
/** Output of a tool for the model: a text, or parts. */
export type ToolContent = string | readonly ToolContentPart[];

/** Instructions at the start of a transcript. */
export interface SystemMessage {
  readonly role: "system";
  readonly id: string;
  readonly content: string;
}

/** Message of the user, or of the runtime on the user's side: `source` tells which. */
export interface UserMessage {
  readonly role: "user";
  readonly id: string;
  readonly content: string | readonly UserPart[];
  /** Set on messages that the runtime wrote on behalf of the user. `child`: the result of a child session that worked in the background. */
  readonly source?: "interruption" | "closing" | "repair" | "guard" | "child";
  readonly metadata?: JsonValue;
}

/** Reply of a model, whole or cut: `stopReason` tells why it ended. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly id: string;
  readonly content: readonly AssistantPart[];
  /** `aborted` and `error` mark a partial reply. One with `error` is never shown to a model again. */
  readonly stopReason: FinishReason;
  readonly usage?: Usage;
  readonly origin?: Origin;
  /** Provider's information about the reply, besides its content. */
  readonly metadata?: JsonValue;
  readonly error?: SerializedError;
}

/** The complete output of a message that has only its beginning and its end. */
export interface KeptOutput {
  /** Name of the session's blob that holds the output. */
  readonly blob: string;
  /** The plain text, or the content as JSON. */
  readonly mediaType: "text/plain" | "application/json";
  /** Length of its text. */
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
  /** True if the call was denied: its approval was refused. The tool did not run, so it did not fail either. */
  readonly isDenied?: boolean;
  /** For user interfaces; the model never sees them. */
  readonly details?: JsonValue;
  readonly meta?: JsonValue;
  /** The complete output, if `content` is truncated. */
  readonly kept?: KeptOutput;
  /** True if the call ended its turn, together with the others of its batch: then the content is the turn's answer. */
  readonly isTerminal?: boolean;
}

/** A message of the application. The default conversion drops it before a request. */
export interface CustomMessage {
  readonly role: "custom";
  readonly id: string;
  readonly kind: string;
  readonly data: JsonValue;
}

/** Message of a transcript, by its `role`. */
export type ChatMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolMessage
  | CustomMessage;
