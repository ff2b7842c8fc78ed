/** What the kernel asks of a model: a stream of parts for a list of messages. */
import type { ChatMessage, FinishReason, JsonValue, Origin, Usage } from "./conversation.ts";
import type { JsonSchema, ToolDeclaration } from "./tool.ts";

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/**
 * What is known of a model, as a registry has it. All of it may be unknown: a provider then goes by the model's name, or leaves
 * out what it cannot tell.
 */
export interface ModelFacts {
  /** Tokens that fit into one request and its reply. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** What it may be shown. */
  readonly input?: readonly ("text" | "image" | "document")[];
  /**
   * How it is asked to think, by level: the vendor's own word, or a budget in tokens; `null` where it has no such level. Levels that
   * are left out have the protocol's own word. Absent where nobody knows, `false` for a model that cannot think.
   */
  readonly thinking?: Readonly<Partial<Record<ThinkingLevel, string | number | null>>> | false;
}

/** What the reply has to be, where the vendor can hold the model to it. Whoever asked checks the answer all the same. */
export interface OutputFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Media that a provider takes. What does not fit is refused before it is part of a conversation. */
export interface MediaLimits {
  readonly imageTypes: readonly string[];
  readonly documentTypes: readonly string[];
  /** Of the decoded bytes, as the others. */
  readonly maxImageBytes: number;
  /** Of the longer side. */
  readonly maxImagePixels: number;
  readonly maxDocumentBytes: number;
}

/** How replies are drawn. A vendor without a word for a setting is not told it; `docs/specs/providers.md` has the table. */
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
  /** The vendor's own word, as in "flex". */
  readonly serviceTier?: string;
}

/** Fields of one vendor's own request; `null` removes one that would be sent. */
export interface VendorOptions {
  readonly [field: string]: JsonValue | undefined;
}

/** Options that only one vendor knows, by the id of its provider. Open: packages of providers add the types of theirs. */
export interface ProviderOptionsByVendor {
  readonly [providerId: string]: VendorOptions | undefined;
}

/** Per-turn options. The kernel forwards the object as it is; a span names the `model`, and nothing else is read in it. */
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
  /** A stable id that providers may use to route requests to the same prompt cache. */
  readonly sessionId?: string;
  /** Merged into the request of the provider with that id, field by field; `tools` are added to ours. */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** One attempt of one step. All fields are its own and enumerable: `{ ...request, options }` is a request too. */
export interface ProviderRequest {
  /** What the model sees: no custom messages, no failed replies. Computed at the first read. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDeclaration[];
  /** Set on the closing step, where it overrides `options.toolChoice`: the tools stay declared, none may be called. */
  readonly toolChoice?: "none";
  /** The `providerOpts` of the turn, verbatim; with a `fallback`, those for the model that is asked. */
  readonly options: ProviderStreamOptions;
  /** Index of the model among those of the provider's `fallback`, if it has one. */
  readonly modelIndex?: number;
  /** Fires on abort and when a deadline of this attempt passed. Created at the first read. */
  readonly signal: AbortSignal;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
}

/**
 * What a provider yields. Text, thinking and refusals never overlap: a part of another kind, or an `_end`, closes the
 * open one, so `_start` and `_end` are needed only to carry `providerData` or to part two neighbours of one kind.
 * `usage`, `ping` and `start` close nothing. Tool calls are told apart by `index` and may interleave. `finish` is last; a
 * stream that ends without it was cut off. Its reasons `error` and `aborted` mean that the attempt failed: throw instead.
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
  /** The arguments are whole. `input` replaces the deltas where the vendor sends parsed arguments. */
  | {
      readonly type: "toolcall_end";
      readonly index: number;
      readonly input?: JsonValue;
      readonly providerData?: JsonValue;
    }
  | { readonly type: "native"; readonly data: JsonValue }
  /** Counts known so far; a later part replaces the fields it names. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** The vendor said that it is alive. */
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
  /** As its provider knows it; empty where that has only one. */
  readonly id: string;
  readonly facts?: ModelFacts;
}

/** Models that stand in for each other. A turn asks one of them an attempt, and says which by `ProviderRequest.modelIndex`. */
export interface Fallback {
  /** In their order; at least one. */
  readonly models: readonly FallbackModel[];
  /** Codes of errors after which the next model is asked, at once. */
  readonly on: readonly string[];
}

export interface ProviderContract {
  readonly id: string;
  /** Set by a provider that stands for several models. */
  readonly fallback?: Fallback;
  /** Tokens that fit into one request and its reply, where the provider knows it. */
  readonly contextWindow?: number;
  readonly media?: MediaLimits;
  /**
   * Asks the server for the context window of a model that no list knows. Resolves with undefined if it does not tell; never rejects. Takes a
   * request or two, so it is called only if the window is unknown.
   */
  findContextWindow?(
    model: string,
    options: { readonly signal?: AbortSignal | undefined; readonly apiKey?: string | undefined },
  ): Promise<number | undefined>;
  /**
   * Starts one attempt. Failures are thrown by the iterator, as `ProviderError` where the cause is understood. The
   * provider stops when `request.signal` fires or when the iterator is returned.
   */
  stream(request: ProviderRequest): AsyncIterable<ProviderPart>;
}
