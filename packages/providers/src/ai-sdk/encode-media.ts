/** Encodes texts, images and documents from users and tools. */
import type { DocumentPart, ImagePart, ModelFacts, TextPart } from "@capstan/kernel";
import type { Embedded } from "../projection/shown-media.ts";
import { isBlankText, leftOut, takes, textOfDocument } from "../projection/shown-media.ts";
import type { AiSdkFilePart, AiSdkTextPart } from "./prompt.ts";

/** Encodes a part for a model; returns undefined for blank text, which some models reject. */
export type EncodeMedia = (
  part: TextPart | ImagePart | DocumentPart,
) => AiSdkTextPart | AiSdkFilePart | undefined;

/** For readers other than models: passes every file through unchanged. */
export const asFiles: EncodeMedia = (part) => {
  if (part.type !== "text") return toFile(part);
  return isBlankText(part.text) ? undefined : text(part.text);
};

/** Image types that every vision model accepts. */
const imageTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/jpg",
  "image/gif",
  "image/webp",
]);

/** For a model. Few models accept text documents, but all accept text. Parts the model does not accept are replaced by a note. */
export function forModel(facts: ModelFacts | undefined): EncodeMedia {
  return (part) => {
    if (part.type === "text") return asFiles(part);
    // Only the model knows which URLs it can fetch, and it rejects all others.
    if ("url" in part) return text(leftOut(part));
    const isEmpty = part.data === "" || !takes(facts, part.type);
    if (part.type === "image") {
      return isEmpty || !imageTypes.has(part.mediaType) ? text(leftOut(part)) : toFile(part);
    }
    const written = textOfDocument(part);
    if (written !== undefined) {
      return text(part.name === undefined ? written : `${part.name}:\n\n${written}`);
    }
    return isEmpty || isOfText(part) ? text(leftOut(part)) : toFile(part);
  };
}

/** Whether the document's media type is a text type, regardless of its data. */
function isOfText(part: Embedded<DocumentPart>): boolean {
  return textOfDocument({ ...part, data: "eA==" }) !== undefined;
}

function text(value: string): AiSdkTextPart {
  return { type: "text", text: value };
}

function toFile(part: ImagePart | DocumentPart): AiSdkFilePart {
  const { mediaType } = part;
  const filename = part.type === "document" ? part.name : undefined;
  return {
    type: "file",
    mediaType,
    data:
      "url" in part ? { type: "url", url: new URL(part.url) } : { type: "data", data: part.data },
    ...(filename !== undefined && { filename }),
  };
}
