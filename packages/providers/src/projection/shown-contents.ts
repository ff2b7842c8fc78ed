/** User and tool content in a vendor's form, linked to its source parts: a vendor's error can be traced back to a part. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  PartReference,
  TextPart,
} from "@capstan/kernel";

export interface ShownContents<Content> {
  readonly content: Content[];
  /** Source part of each content. */
  readonly sources: PartReference[];
}

/** Leaves out parts that `toContent` has no form for. */
export function showContents<Content>(
  { id, content }: Extract<ChatMessage, { role: "user" | "tool" }>,
  toContent: (part: TextPart | ImagePart | DocumentPart) => Content | undefined,
): ShownContents<Content> {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const shown: ShownContents<Content> = { content: [], sources: [] };
  parts.forEach((part, index) => {
    const wire = toContent(part);
    if (wire === undefined) return;
    shown.content.push(wire);
    shown.sources.push({ messageId: id, part: index });
  });
  return shown;
}

/** Finds the part for a path in the body; `bodyPath` captures the indexes of the item and of the content in it. */
export function partFinder<Item>(
  items: readonly Item[],
  sources: ReadonlyMap<Item, readonly PartReference[]>,
  bodyPath: RegExp,
): (path: string) => PartReference | undefined {
  return (path) => {
    const [, item, content] = bodyPath.exec(path) ?? [];
    const found = items[Number(item)];
    return found && sources.get(found)?.[Number(content)];
  };
}
