/** Blocks linked to their source parts in the conversation, so that a vendor's error can be traced back to a part. */
import type { PartReference } from "@capstan/kernel";

export interface Placed<Block> {
  readonly block: Block;
  readonly source: PartReference | undefined;
  /** Sources of the blocks inside a tool result. */
  readonly inside: readonly (PartReference | undefined)[];
}

const nothing: readonly undefined[] = [];

export function placed<Block>(
  block: Block,
  source?: PartReference,
  inside: Placed<Block>["inside"] = nothing,
): Placed<Block> {
  return { block, source, inside };
}

/** Links a message part. Vendors reject only media; an error that names a text means something else. */
export function placedPart<Block extends { readonly type: string }>(
  block: Block,
  messageId: string,
  part: number,
): Placed<Block> {
  return placed(block, block.type === "text" ? undefined : { messageId, part });
}

/** `messages.3.content.1.image.source`, `messages.3.content.0.tool_result.content.1.image.source`; also with brackets. */
const bodyPath =
  /^messages\W+(\d+)\W+content\W+(\d+)(?:\W+tool_result)?(?:\W+content\W+(\d+))?(?=\W|$)/;

/** Finds the source of a block by its path in the body. `turns` are the blocks of each message as sent. */
export function sourceAt(
  path: string,
  turns: readonly (readonly Placed<unknown>[])[],
): PartReference | undefined {
  const [, message, block, inner] = bodyPath.exec(path) ?? [];
  const found = turns[Number(message)]?.[Number(block)];
  return inner === undefined ? found?.source : found?.inside[Number(inner)];
}
