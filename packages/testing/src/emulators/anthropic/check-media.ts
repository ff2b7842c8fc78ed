/** Checks type, number and size of a request's images and documents. */
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { decodeBase64, readImage } from "../image-facts.ts";
import { Refusal } from "../refusal.ts";
import type { Turn } from "./messages-request.ts";
import type { ModelTraits } from "./model-traits.ts";

const maxPixels = 8_000;
const maxPixelsOfMany = 2_000;
const manyImages = 20;

/** `maxImageBytes` counts the base64 text, as the service does. */
export function checkMedia(
  turns: readonly Turn[],
  traits: ModelTraits,
  maxImageBytes: number,
): void {
  const media = turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ block, path }) => mediaIn(block, path)),
  );
  const images = media.filter(({ block }) => block["type"] === "image");
  if (images.length > traits.maxImages) {
    throw new Refusal(
      `messages: too many images: ${images.length} images > ${traits.maxImages} maximum`,
    );
  }
  for (const { block, path } of media) {
    const { source } = block;
    if (!isObject(source) || source["type"] !== "base64") continue;
    if (block["type"] === "image") checkImage(source, path, images.length, maxImageBytes);
    else checkPdf(source, path);
  }
}

function mediaIn(block: JsonObject, path: string): { block: JsonObject; path: string }[] {
  const { type, content } = block;
  if (type === "image" || type === "document") return [{ block, path }];
  if (type !== "tool_result" || !isList(content)) return [];
  return content.flatMap((inner, index) =>
    isObject(inner) ? mediaIn(inner, `${path}.tool_result.content.${index}`) : [],
  );
}

function checkImage(source: JsonObject, path: string, count: number, maxBytes: number): void {
  const field = `${path}.image.source.base64`;
  const { media_type: declared, data } = source;
  const text = asText(data);
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new Refusal(`${field}.data: Invalid base64 data`);
  if (text.length > maxBytes) {
    const megabytes = maxBytes / (1024 * 1024);
    throw new Refusal(
      `${field}: image exceeds ${megabytes} MB maximum: ${text.length} bytes > ${maxBytes} bytes`,
    );
  }
  const facts = readImage(bytes);
  if (facts === undefined) throw new Refusal(`${field}.data: Could not process image`);
  if (facts.mediaType !== declared) {
    throw new Refusal(
      `${field}.data: The image was specified using the ${asText(declared)} media type, but the image appears to be a ${facts.mediaType} image`,
    );
  }
  const longer = Math.max(facts.width, facts.height);
  if (longer > maxPixels) {
    throw new Refusal(
      `${field}.data: At least one of the image dimensions exceed max allowed size: ${maxPixels} pixels`,
    );
  }
  if (count > manyImages && longer > maxPixelsOfMany) {
    throw new Refusal(
      `${field}.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${maxPixelsOfMany} pixels`,
    );
  }
}

function checkPdf(source: JsonObject, path: string): void {
  const bytes = decodeBase64(asText(source["data"]));
  const field = `${path}.document.source.base64.data`;
  if (bytes === undefined) throw new Refusal(`${field}: Invalid base64 data`);
  if (bytes.toString("latin1", 0, 5) !== "%PDF-") {
    throw new Refusal(`${field}: The PDF specified was not valid.`);
  }
}
