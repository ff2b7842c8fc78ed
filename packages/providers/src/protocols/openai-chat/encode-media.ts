/** Encodes texts, images and documents from users and tools. */
import type { DocumentPart, ImagePart, ModelFacts, TextPart } from "@capstan/kernel";
import {
  dataUrl,
  isBlankText,
  leftOut,
  shownType,
  shownUrl,
  takes,
  textOfDocument,
} from "../../projection/shown-media.ts";
import type { TextContent, UserContent } from "./request.ts";

export interface MediaChoices {
  readonly facts: ModelFacts | undefined;
  readonly takesFiles: boolean;
  readonly fetchesUrls: boolean;
}

/** Encodes a part; returns undefined for blank text. */
export function toContent(
  part: TextPart | ImagePart | DocumentPart,
  { facts, takesFiles, fetchesUrls }: MediaChoices,
): UserContent | undefined {
  if (part.type !== "text" && "url" in part) {
    // Files are accepted as data only.
    const url = part.type === "image" && fetchesUrls ? shownUrl(part, facts) : undefined;
    return url === undefined ? text(leftOut(part)) : { type: "image_url", image_url: { url } };
  }
  switch (part.type) {
    case "text":
      return isBlankText(part.text) ? undefined : text(part.text);
    case "image": {
      const type = shownType(part, facts);
      if (type === undefined) return text(leftOut(part));
      return { type: "image_url", image_url: { url: dataUrl(type, part.data) } };
    }
    case "document": {
      const written = textOfDocument(part);
      const { name, mediaType } = part;
      if (written !== undefined) {
        return text(name === undefined ? written : `${name}:\n\n${written}`);
      }
      const isPdf = mediaType === "application/pdf" && part.data !== "";
      if (!isPdf || !takesFiles || !takes(facts, "document")) return text(leftOut(part));
      const file = { filename: name ?? "document.pdf", file_data: dataUrl(mediaType, part.data) };
      return { type: "file", file };
    }
    default:
      return part satisfies never;
  }
}

function text(value: string): TextContent {
  return { type: "text", text: value };
}
