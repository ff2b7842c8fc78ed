/** A request to the Messages API whose shape was checked. */
import type { JsonObject } from "../json.ts";
import type { ThinkingType } from "./model-traits.ts";

export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: readonly {
    readonly role: "user" | "assistant" | "system";
    readonly content: string | readonly JsonObject[];
  }[];
  readonly system?: string | readonly JsonObject[];
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
  readonly thinking?: {
    readonly type: ThinkingType;
    readonly budget_tokens?: number;
    readonly display?: string | null;
    readonly block_binding?: { readonly prefix_mismatch_behavior?: string | null } | null;
  };
  readonly output_config?: {
    readonly effort?: string | null;
    readonly format?: { readonly schema: JsonObject } | null;
  };
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly stop_sequences?: readonly string[];
  readonly stream?: boolean;
  readonly cache_control?: JsonObject | null;
}

/** A block, with its path in error messages. */
export interface PlacedBlock {
  readonly block: JsonObject;
  readonly path: string;
}

/** The service merges adjacent messages of one role into one turn. */
export interface Turn {
  readonly role: "user" | "assistant" | "system";
  /** Index of its first message. */
  readonly at: number;
  readonly blocks: readonly PlacedBlock[];
}

/** A string is short for one text block. */
export function blocksOf(content: string | readonly JsonObject[]): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function toTurns(messages: MessagesRequest["messages"]): Turn[] {
  const turns: Turn[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content).map((block, index) => ({
      block,
      path: `messages.${at}.content.${index}`,
    }));
    const last = turns.at(-1);
    if (last?.role === role)
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, at, blocks });
  }
  return turns;
}

export function isThinking(block: JsonObject): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}
