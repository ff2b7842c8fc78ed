/** Blocks of messages that are complete. */
import type {
  AssistantMessage,
  ChatMessage,
  ToolContent,
  ToolMessage,
  UserMessage,
} from "@capstan/kernel";
import { noticeIn } from "../../print/notice.ts";
import type { Block, CallBlock } from "./blocks.ts";

/** Id of a part's block. A call has its own id. */
export function partId(messageId: string, index: number): string {
  return `${messageId}:${index}`;
}

/** Undefined for messages that are not shown. */
export function userBlock(message: UserMessage): Block | undefined {
  const { id, content, source, metadata } = message;
  // Written by the runtime, for the model.
  if (source !== undefined) return undefined;
  const notice = noticeIn(message);
  if (notice !== undefined) {
    const text = `told the model: ${notice.changes.join(", ")}`;
    return { type: "notice", id, tone: "info", text };
  }
  const isOurs = (metadata as { readonly writtenBy?: unknown } | null | undefined)?.writtenBy;
  if (isOurs === "capstan") return undefined;
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? foldFile(part.text) : mark(part))).join("\n");
  return { type: "user", id, text };
}

export function assistantBlocks({ id, content }: AssistantMessage): readonly Block[] {
  return content.flatMap((part, index): readonly Block[] => {
    const block = { id: partId(id, index), isOpen: false };
    switch (part.type) {
      case "text":
      case "refusal":
        return part.text.trim() === "" ? [] : [{ ...block, type: "reply", text: part.text }];
      case "thinking":
        return part.thinking.trim() === ""
          ? []
          : [{ ...block, type: "thinking", text: part.thinking }];
      case "tool_call": {
        const { id: callId, name: toolName, input } = part;
        return [{ type: "call", id: callId, toolName, input, state: "waiting", output: "" }];
      }
      case "native":
        return [];
      default:
        return part satisfies never;
    }
  });
}

type Result = Pick<ToolMessage, "content" | "isError" | "isDenied" | "details">;

export function withResult(call: CallBlock, result: Result): CallBlock {
  const { content, isError, isDenied, details } = result;
  const state = isDenied === true ? "denied" : isError ? "failed" : "done";
  return { ...call, state, output: textOf(content), ...(details !== undefined && { details }) };
}

/** Blocks of a whole transcript. */
export function blocksOf(messages: readonly ChatMessage[]): Block[] {
  const blocks: Block[] = [];
  const calls = new Map<string, number>();
  for (const message of messages) {
    switch (message.role) {
      case "user": {
        const block = userBlock(message);
        if (block !== undefined) blocks.push(block);
        break;
      }
      case "assistant":
        for (const block of assistantBlocks(message)) {
          if (block.type === "call") calls.set(block.id, blocks.length);
          blocks.push(block);
        }
        break;
      case "tool": {
        const index = calls.get(message.toolCallId);
        const call = index === undefined ? undefined : blocks[index];
        if (index !== undefined && call?.type === "call") blocks[index] = withResult(call, message);
        break;
      }
      case "system":
      case "custom":
        break;
      default:
        message satisfies never;
    }
  }
  return blocks;
}

function textOf(content: ToolContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : mark(part))).join("\n");
}

function mark({ type, mediaType }: { readonly type: string; readonly mediaType: string }): string {
  return `[${type}: ${mediaType}]`;
}

/** An attached file is named, not shown. */
function foldFile(text: string): string {
  const [, path] = /^<file path="(.*)">\n[^]*<\/file>$/.exec(text) ?? [];
  if (path === undefined) return text;
  return `[${path}: ${text.split("\n").length - 2} lines]`;
}
