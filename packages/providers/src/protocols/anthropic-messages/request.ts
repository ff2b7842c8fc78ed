/** The request on the wire: the parts this protocol uses. A type test checks it against the vendor's own types. */
import type { JsonValue } from "@capstan/kernel";
import type { ImageType } from "../../projection/shown-media.ts";

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}

/** A block that may carry a marker for the prompt cache. */
interface Markable {
  readonly cache_control?: CacheControl;
}

export interface TextBlock extends Markable {
  readonly type: "text";
  readonly text: string;
}

interface ImageBlock extends Markable {
  readonly type: "image";
  readonly source:
    | { readonly type: "base64"; readonly media_type: ImageType; readonly data: string }
    | { readonly type: "url"; readonly url: string };
}

export interface DocumentBlock extends Markable {
  readonly type: "document";
  readonly source:
    | { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
    | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
    | { readonly type: "url"; readonly url: string };
  readonly title?: string;
}

export type MediaBlock = ImageBlock | DocumentBlock;

export interface ToolResultBlock extends Markable {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | MediaBlock)[];
  readonly is_error?: boolean;
  readonly toolset_name?: string;
}

interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A block that is sent back unchanged: server tools, their results, and future kinds. */
export interface NativeBlock {
  readonly type: string;
  readonly [key: string]: JsonValue;
}

export type UserBlock = TextBlock | MediaBlock | ToolResultBlock;
export type KnownAssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type AssistantBlock = KnownAssistantBlock | NativeBlock;

export type WireMessage =
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantBlock[] }
  | { readonly role: "system"; readonly content: readonly TextBlock[] };

export interface WireTool extends Markable {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

export type WireToolChoice =
  | { readonly type: "auto" | "any" | "none" }
  | { readonly type: "tool"; readonly name: string };

interface BlockBinding {
  readonly block_binding?: { readonly prefix_mismatch_behavior: "drop_block" };
}

export type WireThinking =
  | ({ readonly type: "adaptive"; readonly display?: "summarized" } & BlockBinding)
  | { readonly type: "enabled"; readonly budget_tokens: number }
  | { readonly type: "disabled" | "between_tools" };

export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export interface WireOutputConfig {
  readonly effort?: Effort;
  readonly format?: {
    readonly type: "json_schema";
    readonly schema: { readonly [key: string]: unknown };
  };
}

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: boolean;
  readonly system?: readonly TextBlock[];
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly tool_choice?: WireToolChoice;
  readonly thinking?: WireThinking;
  readonly output_config?: WireOutputConfig;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: readonly string[];
  readonly service_tier?: "auto" | "standard_only";
  readonly container?: string;
}
