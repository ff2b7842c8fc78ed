/** Which images and documents a model can be shown, in any protocol. */
import type { DocumentPart, ImagePart, ModelFacts } from "@capstan/kernel";

/** Media types that are text under another name. */
const textType =
  /^(text\/|application\/(json|xml|yaml|toml|javascript|typescript|sql|[a-z.-]+\+(json|xml)))/;

/** Vendors reject white space just like an empty text. */
export function isBlankText(text: string): boolean {
  return text.trim() === "";
}

/** True if unknown. */
export function takes(facts: ModelFacts | undefined, kind: "image" | "document"): boolean {
  return facts?.input?.includes(kind) ?? true;
}

export type Embedded<Part> = Extract<Part, { readonly data: string }>;
export type Linked<Part> = Extract<Part, { readonly url: string }>;

/** The URL, if this model can be shown media of its type. The actual type is known only once the vendor fetches it. */
export function shownUrl(
  { type, mediaType, url }: Linked<ImagePart | DocumentPart>,
  facts: ModelFacts | undefined,
): string | undefined {
  const isOfKind =
    type === "image" ? mediaType.startsWith("image/") : mediaType === "application/pdf";
  return isOfKind && takes(facts, type) ? url : undefined;
}

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** Image types that models can see. */
const imageTypes: readonly ImageType[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** The image's type, if it has data and this model can be shown it. */
export function shownType(
  { mediaType, data }: Embedded<ImagePart>,
  facts: ModelFacts | undefined,
): ImageType | undefined {
  if (data === "" || !takes(facts, "image")) return undefined;
  const type = mediaType === "image/jpg" ? "image/jpeg" : mediaType;
  return imageTypes.find((known) => known === type);
}

/** The document's text; undefined if it is not text or empty. */
export function textOfDocument({ mediaType, data }: Embedded<DocumentPart>): string | undefined {
  if (!textType.test(mediaType)) return undefined;
  const text = decodeText(data);
  return isBlankText(text) ? undefined : text;
}

function decodeText(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    // Not base64: nothing to show.
    return "";
  }
}

/** Tells the model that something was there: the conversation may have begun with a model that could see it. */
export function leftOut(part: ImagePart | DocumentPart): string {
  const what = part.type === "image" ? "an image" : (part.name ?? "a document");
  if ("url" in part) {
    return `[${what} of type ${part.mediaType} at ${part.url} is not shown: URLs are not fetched]`;
  }
  return `[${what} of type ${part.mediaType} is omitted: it cannot be shown to this model]`;
}

export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}
