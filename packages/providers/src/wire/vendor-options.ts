/**
 * Request fields of the vendors that have their own types here. They list the most common fields; all others are passed through
 * unchanged. A type test checks the names against those of the official clients.
 */
import type { JsonValue, VendorOptions } from "@capstan/kernel";

type Fields = { readonly [field: string]: JsonValue };

/** Fields of the Responses API. */
export interface ResponsesOptions extends VendorOptions {
  readonly reasoning?: Fields | null;
  readonly text?: Fields | null;
  /** Added to the fields the runtime requests. */
  readonly include?: readonly string[] | null;
  /** Added to the agent's tools and run by the vendor: `{ type: "web_search" }`. */
  readonly tools?: readonly Fields[];
  readonly parallel_tool_calls?: boolean | null;
  readonly max_tool_calls?: number | null;
  readonly truncation?: "auto" | "disabled" | null;
  readonly top_logprobs?: number | null;
  readonly safety_identifier?: string | null;
  readonly metadata?: { readonly [name: string]: string } | null;
}

/** Fields of the Messages API. */
export interface MessagesOptions extends VendorOptions {
  readonly thinking?: Fields | null;
  readonly output_config?: Fields | null;
  /** Added to the agent's tools and run by the vendor: `{ type: "web_search_20250305", name: "web_search" }`. */
  readonly tools?: readonly Fields[];
  readonly mcp_servers?: readonly Fields[];
  readonly context_management?: Fields | null;
  readonly container?: string | Fields | null;
  readonly metadata?: Fields | null;
  readonly inference_geo?: string | null;
  /** Sent as the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** Marker for the prompt cache; `null` sets none. */
  readonly cache_control?: Fields | null;
}

/** Fields of generateContent. */
export interface GenerateOptions extends VendorOptions {
  readonly generationConfig?: Fields | null;
  readonly safetySettings?: readonly Fields[] | null;
  /** Added to the agent's tools and run by the vendor: `{ googleSearch: {} }`. */
  readonly tools?: readonly Fields[];
  readonly toolConfig?: Fields | null;
  readonly cachedContent?: string | null;
  readonly labels?: { readonly [name: string]: string } | null;
}

declare module "@capstan/kernel" {
  interface ProviderOptionsByVendor {
    readonly anthropic?: MessagesOptions;
    readonly openai?: ResponsesOptions;
    readonly azure?: ResponsesOptions;
    readonly xai?: ResponsesOptions;
    readonly google?: GenerateOptions;
  }
}
