/** Encodes texts, images and documents from users and tools. */
import type { DocumentPart, ImagePart, ModelFacts, TextPart } from "@capstan/kernel";
import type { Embedded, Linked } from "../../projection/shown-media.ts";
import {
  isBlankText,
  leftOut,
  shownType,
  shownUrl,
  takes,
  textOfDocument,
} from "../../projection/shown-media.ts";
import type { DocumentBlock, MediaBlock, TextBlock } from "./request.ts";

const maxTitle = 500;

/** Encodes a part as a block; returns undefined for blank text, which the vendor rejects. */
export function toBlock(
  part: TextPart | ImagePart | DocumentPart,
  facts: ModelFacts | undefined,
): TextBlock | MediaBlock | undefined {
  if (part.type !== "text" && "url" in part) {
    return toLinkedBlock(part, facts) ?? toTextBlock(leftOut(part));
  }
  switch (part.type) {
    case "text":
      return toTextBlock(part.text);
    case "image":
      return toImageBlock(part, facts) ?? toTextBlock(leftOut(part));
    case "document":
      return toDocumentBlock(part, facts) ?? toTextBlock(leftOut(part));
    default:
      return part satisfies never;
  }
}

export function toTextBlock(text: string): TextBlock | undefined {
  return isBlankText(text) ? undefined : { type: "text", text };
}

/** The vendor fetches https URLs only. */
function toLinkedBlock(
  part: Linked<ImagePart | DocumentPart>,
  facts: ModelFacts | undefined,
): MediaBlock | undefined {
  const url = shownUrl(part, facts);
  if (url?.startsWith("https:") !== true) return undefined;
  const source = { type: "url", url } as const;
  if (part.type === "image") return { type: "image", source };
  return { type: "document", source, ...titleOf(part) };
}

function toImageBlock(
  part: Embedded<ImagePart>,
  facts: ModelFacts | undefined,
): MediaBlock | undefined {
  const mediaType = shownType(part, facts);
  if (mediaType === undefined) return undefined;
  return { type: "image", source: { type: "base64", media_type: mediaType, data: part.data } };
}

function toDocumentBlock(
  part: Embedded<DocumentPart>,
  facts: ModelFacts | undefined,
): DocumentBlock | undefined {
  const source = toSource(part, facts);
  if (source === undefined) return undefined;
  return { type: "document", source, ...titleOf(part) };
}

function titleOf({ name = "" }: DocumentPart): { readonly title?: string } {
  const title = name.slice(0, maxTitle);
  return isBlankText(title) ? {} : { title };
}

function toSource(
  part: Embedded<DocumentPart>,
  facts: ModelFacts | undefined,
): DocumentBlock["source"] | undefined {
  const { mediaType, data } = part;
  if (mediaType === "application/pdf") {
    const isShown = data !== "" && takes(facts, "document");
    return isShown ? { type: "base64", media_type: mediaType, data } : undefined;
  }
  const text = textOfDocument(part);
  return text === undefined ? undefined : { type: "text", media_type: "text/plain", data: text };
}
