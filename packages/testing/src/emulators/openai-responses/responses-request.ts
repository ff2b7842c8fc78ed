/** A request to the Responses API whose shape was checked. */
import type { JsonObject } from "../json.ts";

export interface ResponsesRequest {
  readonly model: string;
  readonly input?: string | readonly JsonObject[];
  readonly instructions?: string | null;
  readonly include?: readonly string[] | null;
  readonly max_output_tokens?: number | null;
  readonly previous_response_id?: string | null;
  readonly prompt_cache_key?: string | null;
  readonly prompt?: JsonObject | null;
  readonly conversation?: JsonObject | string | null;
  readonly reasoning?: {
    readonly effort?: string | null;
    readonly summary?: string | null;
    readonly generate_summary?: string | null;
  } | null;
  readonly store?: boolean | null;
  readonly stream?: boolean | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly text?: {
    readonly format?: {
      readonly type: string;
      readonly name?: string;
      readonly schema?: JsonObject;
      readonly strict?: boolean | null;
    } | null;
    readonly verbosity?: string | null;
  } | null;
  readonly tool_choice?: string | JsonObject;
  readonly tools?: readonly JsonObject[] | null;
  readonly truncation?: string | null;
}

/** A string is short for one user message. */
export function itemsOf(input: ResponsesRequest["input"]): readonly JsonObject[] {
  if (input === undefined) return [];
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

export function typeOf(item: JsonObject): string {
  const { type } = item;
  if (typeof type === "string") return type;
  return item["role"] === undefined ? "item_reference" : "message";
}
