/** What users and tools said, in a vendor's form, with the parts that it came from: an error of the vendor finds its way back. */
import type {
  ChatMessage,
  DocumentPart,
  ImagePart,
  PartReference,
  TextPart,
} from "@capstan/kernel";

export interface ShownContents<Content> {
  readonly content: Content[];
  /** The part that each came from. */
  readonly sources: PartReference[];
}

/** Without what `toContent` has no form for. */
export function showContents<Content>(
  { id, content }: Extract<ChatMessage, { role: "user" | "tool" }>,
  toContent: (part: TextPart | ImagePart | DocumentPart) => Content | undefined,
): ShownContents<Content> {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const shown: ShownContents<Content> = { content: [], sources: [] };
  parts.forEach((part, place) => {
    const wire = toContent(part);
    if (wire === undefined) return;
    shown.content.push(wire);
    shown.sources.push({ messageId: id, part: place });
  });
  return shown;
}

/** Finds the part for a place in the body, of which `bodyPath` gives the item and the content in it. */
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
