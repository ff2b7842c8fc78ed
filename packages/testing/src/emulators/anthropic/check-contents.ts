/** Checks that the messages and the system prompt have content. */
import type { JsonValue } from "@capstan/kernel";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { blocksOf } from "./messages-request.ts";
import type { MessagesRequest } from "./messages-request.ts";

export function checkContents({ messages, system }: MessagesRequest): void {
  for (const [at, { role, content }] of messages.entries()) {
    const mayBeEmpty = role === "system" || (role === "assistant" && at === messages.length - 1);
    if (content.length > 0) checkBlocks("messages", blocksOf(content), `messages.${at}.content`);
    else if (!mayBeEmpty) {
      throw new Refusal(
        `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
  }
  if (isList(system)) checkBlocks("system", system, "system");
}

function checkBlocks(where: string, blocks: readonly JsonObject[], path: string): void {
  for (const [index, block] of blocks.entries()) checkBlock(where, block, `${path}.${index}`);
  // Blank text next to other blocks is accepted: models write it before they call a tool.
  const isBlank = blocks.every(({ type, text }) => type === "text" && asText(text).trim() === "");
  if (isBlank && blocks.length > 0) {
    throw new Refusal(`${where}: text content blocks must contain non-whitespace text`);
  }
}

function checkBlock(where: string, block: JsonObject, path: string): void {
  const { type, text, content } = block;
  if (type === "text" && text === "") {
    throw new Refusal(
      isObject(block["cache_control"])
        ? `${path}.text: cache_control cannot be set for empty text blocks`
        : `${where}: text content blocks must be non-empty`,
    );
  }
  if (type === "tool_result" && block["is_error"] === true && isEmpty(content)) {
    throw new Refusal(`${path}.tool_result: content cannot be empty if \`is_error\` is true`);
  }
  if (type !== "tool_result" || !isList(content)) return;
  for (const inner of content) if (isObject(inner)) checkBlock(where, inner, path);
}

function isEmpty(content: JsonValue | undefined): boolean {
  return content === undefined || content === "" || (isList(content) && content.length === 0);
}
