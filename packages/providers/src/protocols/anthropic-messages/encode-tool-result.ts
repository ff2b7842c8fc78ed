/** Encodes the result of a tool call. */
import type { ModelFacts, ToolMessage } from "@capstan/kernel";
import { isBlankText } from "../../projection/shown-media.ts";
import { toBlock } from "./encode-media.ts";
import type { Placed } from "./placed-blocks.ts";
import { placed, placedPart } from "./placed-blocks.ts";
import type { MediaBlock, TextBlock, ToolResultBlock } from "./request.ts";

/** A result, and the media that must come after all results instead of inside this one. */
export interface EncodedResult {
  readonly result: Placed<ToolResultBlock>;
  readonly behind: readonly Placed<MediaBlock>[];
}

/** The vendor's names for the call. */
export interface WireCallName {
  readonly id: string;
  readonly toolset?: string;
}

const emptyError = "The tool failed without a message.";

export function toResultBlock(
  message: ToolMessage,
  call: WireCallName,
  facts: ModelFacts | undefined,
): EncodedResult {
  const { content, isError } = message;
  const head = resultHead(call, isError);
  if (typeof content === "string") {
    const text = isBlankText(content) ? undefined : content;
    const shown = text ?? (isError ? emptyError : undefined);
    return {
      result: placed({ ...head, ...(shown !== undefined && { content: shown }) }),
      behind: [],
    };
  }
  const blocks = content.flatMap((part, index) => {
    const block = toBlock(part, facts);
    return block === undefined ? [] : [placedPart(block, message.id, index)];
  });
  // A failed result may contain only text.
  const inside = isError ? blocks.filter(({ block }) => block.type === "text") : blocks;
  const behind = isError ? blocks.filter(isMedia) : [];
  const shown: readonly (TextBlock | MediaBlock)[] = inside.map(({ block }) => block);
  const filled =
    shown.length === 0 && isError ? [{ type: "text" as const, text: emptyError }] : shown;
  const block: ToolResultBlock = { ...head, ...(filled.length > 0 && { content: filled }) };
  return {
    result: placed(
      block,
      undefined,
      inside.map(({ source }) => source),
    ),
    behind,
  };
}

/** Result for an unanswered call: the vendor requires one for every call. */
export function missingResult(call: WireCallName): Placed<ToolResultBlock> {
  return placed({ ...resultHead(call, true), content: "No result is available for this call." });
}

function resultHead(call: WireCallName, isError: boolean): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: call.id,
    ...(call.toolset !== undefined && { toolset_name: call.toolset }),
    ...(isError && { is_error: true }),
  };
}

function isMedia(entry: Placed<TextBlock | MediaBlock>): entry is Placed<MediaBlock> {
  return entry.block.type !== "text";
}
