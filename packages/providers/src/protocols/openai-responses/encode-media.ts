/** Encodes texts, images and documents from users and tools. */
import type { DocumentPart, ImagePart, ModelFacts, TextPart } from "@capstan/kernel";
import type { Embedded, Linked } from "../../projection/shown-media.ts";
import {
  dataUrl,
  isBlankText,
  leftOut,
  shownType,
  shownUrl,
  takes,
  textOfDocument,
} from "../../projection/shown-media.ts";
import type { InputContent, InputText } from "./request.ts";

/** Encodes a part; returns undefined for blank text. */
export function toContent(
  part: TextPart | ImagePart | DocumentPart,
  facts: ModelFacts | undefined,
): InputContent | undefined {
  if (part.type === "text") return isBlankText(part.text) ? undefined : text(part.text);
  if ("url" in part) return toLink(part, facts) ?? text(leftOut(part));
  if (part.data === "") return text(leftOut(part));
  return (
    (part.type === "image" ? toImage(part, facts) : toFile(part, facts)) ?? text(leftOut(part))
  );
}

function toLink(
  part: Linked<ImagePart | DocumentPart>,
  facts: ModelFacts | undefined,
): InputContent | undefined {
  const url = shownUrl(part, facts);
  if (url === undefined) return undefined;
  return part.type === "image"
    ? { type: "input_image", detail: "auto", image_url: url }
    : { type: "input_file", file_url: url };
}

function toImage(
  part: Embedded<ImagePart>,
  facts: ModelFacts | undefined,
): InputContent | undefined {
  const mediaType = shownType(part, facts);
  if (mediaType === undefined) return undefined;
  const image_url = dataUrl(mediaType, part.data);
  return { type: "input_image", detail: "auto", image_url };
}

function toFile(
  part: Embedded<DocumentPart>,
  facts: ModelFacts | undefined,
): InputContent | undefined {
  const { mediaType, name } = part;
  const written = textOfDocument(part);
  if (written !== undefined) return text(name === undefined ? written : `${name}:\n\n${written}`);
  if (mediaType !== "application/pdf" || !takes(facts, "document")) return undefined;
  return {
    type: "input_file",
    filename: name ?? "document.pdf",
    file_data: dataUrl(mediaType, part.data),
  };
}

function text(value: string): InputText {
  return { type: "input_text", text: value };
}
