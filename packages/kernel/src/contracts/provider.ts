/** Contract of a model provider: a stream of parts for a list of messages. */
import type { ChatMessage, FinishReason, JsonValue, Origin, Usage } from "./conversation.ts";
import type { JsonSchema, ToolDeclaration } from "./tool.ts";

/** Amount of reasoning to ask for. Providers map it to the nearest setting of the model. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Whether the model may, must not or must call a tool, or which one. */
export type ToolChoice<ToolName extends string = string> =
  | "auto"
  | "none"
  | "required"
  | { readonly tool: ToolName };

/**
 * Known facts about a model, as in a registry. Any of them may be unknown: a provider then goes by the model's name, or omits what it cannot
 * tell.
 */
export interface ModelFacts {
  /** Tokens that fit into one request and its reply. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Content that the model accepts. */
  readonly input?: readonly ("text" | "image" | "document")[];
  /**
   * Thinking setting by level: the vendor's own word, or a budget in tokens; `null` if the model has no such level. Levels that are left out
   * use the protocol's own word. Undefined if unknown, `false` for a model that cannot think.
   */
  readonly thinking?: Readonly<Partial<Record<ThinkingLevel, string | number | null>>> | false;
}

/** Required format of the reply, if the vendor can enforce it. The caller validates the answer anyway. */
export interface OutputFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Media that a provider accepts. Other media are refused before they enter a conversation. */
export interface MediaLimits {
  readonly imageTypes: readonly string[];
  readonly documentTypes: readonly string[];
  /** Decoded bytes; this holds for all byte limits here. */
  readonly maxImageBytes: number;
  /** Pixels of the longer side. */
  readonly maxImagePixels: number;
  readonly maxDocumentBytes: number;
}

/** Sampling of replies. A vendor that does not support a setting does not get it; `docs/specs/providers.md` has the table. */
export interface SamplingSettings {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  /** Texts that end a reply. */
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** The vendor's own word, for example "flex". */
  readonly serviceTier?: string;
}

/** Fields of one vendor's request; `null` removes a field that would be sent. */
export interface VendorOptions {
  readonly [field: string]: JsonValue | undefined;
}

/** Vendor-specific options, by the id of the provider. Open: provider packages add their own types. */
export interface ProviderOptionsByVendor {
  readonly [providerId: string]: VendorOptions | undefined;
}

/** Per-turn options. The kernel forwards the object unchanged; it reads only `model`, for spans. */
export interface ProviderStreamOptions extends SamplingSettings {
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly toolChoice?: ToolChoice;
  readonly thinkingLevel?: ThinkingLevel;
  readonly thinkingBudgets?: Readonly<Partial<Record<ThinkingLevel, number>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  readonly modelFacts?: ModelFacts;
  readonly output?: OutputFormat;
  /** Stable id that providers may use to route requests to the same prompt cache. */
  readonly sessionId?: string;
  /** Merged into the request of the provider with that id, field by field; `tools` are added to the agent's. */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** One attempt of one step. All fields are own and enumerable: `{ ...request, options }` is a request too. */
export interface ProviderRequest {
  /** Messages that the model sees: no custom messages, no failed replies. Computed on first read. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  /** Set on the closing step, overriding `options.toolChoice`: the tools stay declared, none may be called. */
  readonly toolChoice?: "none";
  /** The `providerOpts` of the turn, unchanged; with a `fallback`, those for the model that is asked. */
  readonly options: ProviderStreamOptions;
  /** Index of the model among those of the provider's `fallback`, if it has one. */
  readonly modelIndex?: number;
  /** Fires on abort and when a deadline of this attempt has passed. Created on first read. */
  readonly signal: AbortSignal;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
}

/**
 * Parts that a provider yields. Text, thinking and refusals never overlap: a part of another kind, or an `_end`, closes the open one, so
 * `_start` and `_end` are needed only to carry `providerData` or to separate two adjacent parts of one kind. `usage`, `ping` and `start`
 * close nothing. Tool calls are distinguished by `index` and may interleave. `finish` is last; a stream that ends without it was truncated.
 * Its reasons `error` and `aborted` mean that the attempt failed: throw instead.
 */
export type ProviderPart =
  | { readonly type: "start"; readonly origin?: Origin; readonly metadata?: JsonValue }
  | { readonly type: "text_start"; readonly providerData?: JsonValue }
  | { readonly type: "text_delta"; readonly delta: string }
  | { readonly type: "text_end"; readonly providerData?: JsonValue }
  | { readonly type: "thinking_start"; readonly providerData?: JsonValue }
  | { readonly type: "thinking_delta"; readonly delta: string }
  | { readonly type: "thinking_end"; readonly providerData?: JsonValue }
  | { readonly type: "refusal_delta"; readonly delta: string }
  | { readonly type: "refusal_end"; readonly providerData?: JsonValue }
  | {
      readonly type: "toolcall_start";
      readonly index: number;
      readonly name: string;
      readonly isProviderExecuted?: boolean;
      readonly providerData?: JsonValue;
    }
  | { readonly type: "toolcall_delta"; readonly index: number; readonly delta: string }
  /** The arguments are complete. `input` replaces the deltas if the vendor sends parsed arguments. */
  | {
      readonly type: "toolcall_end";
      readonly index: number;
      readonly input?: JsonValue;
      readonly providerData?: JsonValue;
    }
  | { readonly type: "native"; readonly data: JsonValue }
  /** Counts known so far; a later part replaces the fields it names. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Keep-alive of the vendor. */
  | { readonly type: "ping" }
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly usage?: Usage;
      readonly metadata?: JsonValue;
    };

/** One of the models that a provider falls back on. */
export interface FallbackModel {
  readonly provider: ProviderContract;
  /** Id as its provider knows it; empty if the provider has only one model. */
  readonly id: string;
  readonly facts?: ModelFacts;
}

/** Models that stand in for each other. A turn asks one of them per attempt, and names it in `ProviderRequest.modelIndex`. */
export interface Fallback {
  /** In order of preference; at least one. */
  readonly models: readonly FallbackModel[];
  /** Error codes after which the next model is asked immediately. */
  readonly on: readonly string[];
}

/**
 * A model service. `stream` yields the parts of one reply, throws a `ProviderError` on failure, and stops when the
 * signal of the request aborts.
 */
export interface ProviderContract {
  readonly id: string;
  /** Set by a provider that stands for several models. */
  readonly fallback?: Fallback;
  /** Tokens that fit into one request and its reply, if the provider knows. */
  readonly contextWindow?: number;
  readonly media?: MediaLimits;
  /**
   * Asks the server for the context window of a model that no list knows. Resolves to undefined if the server does not tell; never rejects.
   * Takes a request or two, so it is called only if the window is unknown.
   */
  findContextWindow?(
    model: string,
    options: { readonly signal?: AbortSignal | undefined; readonly apiKey?: string | undefined },
  ): Promise<number | undefined>;
  /**
   * Starts one attempt. The iterator throws failures, as `ProviderError` if the cause is understood. The provider stops when
   * `request.signal` fires or when the iterator is returned.
   */
  stream(request: ProviderRequest): AsyncIterable<ProviderPart>;
}
