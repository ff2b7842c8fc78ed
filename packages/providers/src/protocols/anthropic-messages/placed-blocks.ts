/** Blocks that know which part of the conversation they came from, so that an error of the vendor finds its way back. */
import type { PartReference } from "@capstan/kernel";

export interface Placed<Block> {
  readonly block: Block;
  readonly source: PartReference | undefined;
  /** The sources of the blocks inside of a tool result. */
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

/** A part of a message. Only media can be what a vendor will not take; where it names a text, it means something else. */
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

/** Finds the source of a block by its place in the body. `turns` are the blocks of each message, as they went out. */
export function sourceAt(
  path: string,
  turns: readonly (readonly Placed<unknown>[])[],
): PartReference | undefined {
  const [, message, block, inner] = bodyPath.exec(path) ?? [];
  const found = turns[Number(message)]?.[Number(block)];
  return inner === undefined ? found?.source : found?.inside[Number(inner)];
}
