/** Texts, images and documents of users and tools. */
import type { DocumentPart, ImagePart, ModelFacts, TextPart } from "@capstan/kernel";
import type { Embedded } from "../projection/shown-media.ts";
import { isBlankText, leftOut, takes, textOfDocument } from "../projection/shown-media.ts";
import type { AiSdkFilePart, AiSdkTextPart } from "./prompt.ts";

/** A part as a model takes it; undefined for a text that says nothing, which some models refuse. */
export type EncodeMedia = (
  part: TextPart | ImagePart | DocumentPart,
) => AiSdkTextPart | AiSdkFilePart | undefined;

/** For others who read messages: every file as it is. */
export const asFiles: EncodeMedia = (part) => {
  if (part.type !== "text") return toFile(part);
  return isBlankText(part.text) ? undefined : text(part.text);
};

/** Types that all models which see at all can see. */
const imageTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/jpg",
  "image/gif",
  "image/webp",
]);

/** For a model. Few take a document that is a text, and all take a text; what it cannot be shown it is told of. */
export function forModel(facts: ModelFacts | undefined): EncodeMedia {
  return (part) => {
    if (part.type === "text") return asFiles(part);
    // Which URLs a model fetches is known to it alone, and those that it does not it refuses.
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

/** Whether its type is one of texts, whatever is in it. */
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
