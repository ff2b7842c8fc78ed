/** What of images and documents a model can be shown, whatever its protocol. */
import type { DocumentPart, ImagePart, ModelFacts } from "@capstan/kernel";

/** Types that are text under another name. */
const textType =
  /^(text\/|application\/(json|xml|yaml|toml|javascript|typescript|sql|[a-z.-]+\+(json|xml)))/;

/** White space alone is refused like nothing at all. */
export function isBlankText(text: string): boolean {
  return text.trim() === "";
}

/** True where nobody knows. */
export function takes(facts: ModelFacts | undefined, kind: "image" | "document"): boolean {
  return facts?.input?.includes(kind) ?? true;
}

export type Embedded<Part> = Extract<Part, { readonly data: string }>;
export type Linked<Part> = Extract<Part, { readonly url: string }>;

/** A URL that a vendor can be given, of a thing that this model can be shown. What it is shows when the vendor fetches it. */
export function shownUrl(
  { type, mediaType, url }: Linked<ImagePart | DocumentPart>,
  facts: ModelFacts | undefined,
): string | undefined {
  const isOfKind =
    type === "image" ? mediaType.startsWith("image/") : mediaType === "application/pdf";
  return isOfKind && takes(facts, type) ? url : undefined;
}

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** Those that models see. */
const imageTypes: readonly ImageType[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** The type of an image, if there is something in it and this model can be shown it. */
export function shownType(
  { mediaType, data }: Embedded<ImagePart>,
  facts: ModelFacts | undefined,
): ImageType | undefined {
  if (data === "" || !takes(facts, "image")) return undefined;
  const type = mediaType === "image/jpg" ? "image/jpeg" : mediaType;
  return imageTypes.find((known) => known === type);
}

/** The text of a document; undefined if it is none, or is empty. */
export function textOfDocument({ mediaType, data }: Embedded<DocumentPart>): string | undefined {
  if (!textType.test(mediaType)) return undefined;
  const text = decodeText(data);
  return isBlankText(text) ? undefined : text;
}

function decodeText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    // No base64. Nothing of it can be shown.
    return "";
  }
}

/** The model is told that there was something: a conversation may have begun with a model that could see it. */
export function leftOut(part: ImagePart | DocumentPart): string {
  const what = part.type === "image" ? "an image" : (part.name ?? "a document");
  if ("url" in part) {
    return `[${what} of type ${part.mediaType} at ${part.url} is not shown: it is not fetched here]`;
  }
  return `[${what} of type ${part.mediaType} is left out: it cannot be shown here]`;
}

export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}
