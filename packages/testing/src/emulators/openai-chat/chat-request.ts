/** A request to Chat Completions whose shape was checked. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatWireMessage[];
  readonly tools?: readonly ChatWireTool[] | null;
  readonly tool_choice?: string | JsonObject | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: {
      readonly name: string;
      readonly schema?: JsonObject;
      readonly strict?: boolean | null;
    };
  } | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly temperature?: number | null;
  readonly reasoning_effort?: string | null;
  readonly verbosity?: string | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly prompt_cache_key?: string | null;
  /** DeepSeek only. */
  readonly thinking?: { readonly type?: string } | null;
}

export interface ChatWireMessage {
  readonly role: string;
  readonly content?: string | readonly JsonValue[] | null;
  readonly tool_calls?: readonly ChatWireCall[] | null;
  readonly tool_call_id?: string | null;
  readonly function_call?: JsonObject | null;
  readonly audio?: JsonObject | null;
  readonly refusal?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning_details?: JsonValue;
  readonly prefix?: boolean;
}

export interface ChatWireCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: JsonValue };
}

interface ChatWireTool {
  readonly type?: string;
  readonly function?: {
    readonly name: string;
    readonly description?: string | null;
    readonly parameters?: JsonObject | null;
    readonly strict?: boolean | null;
  };
}

/** Returns the parts of a content that is not a string. */
export function partsOf({ content }: ChatWireMessage): JsonObject[] {
  return isList(content) ? content.filter(isObject) : [];
}

/** Returns all text of a message, without images and files. */
export function textOf({ content }: ChatWireMessage): string {
  if (typeof content === "string") return content;
  return isList(content)
    ? content.map((part) => (isObject(part) ? asText(part["text"]) : "")).join("")
    : "";
}
