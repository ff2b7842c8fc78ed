/** Checks that the files inside a request have types that the model reads. */
import { decodeBase64, readImage } from "../image-facts.ts";
import { invalid } from "./errors.ts";
import type { Blob, GenerateRequest, Part } from "./generate-request.ts";

const readable = [
  /^image\/(png|jpeg|webp|heic|heif)$/,
  /^(audio|video|text)\/[a-z0-9.+-]+$/,
  /^application\/(pdf|json|xml|x-javascript|x-python|rtf)$/,
];

export function checkMedia({ contents = [] }: GenerateRequest): void {
  for (const { parts = [] } of contents) {
    for (const blob of parts.flatMap(blobsOf)) checkBlob(blob);
  }
}

function blobsOf({ inlineData, functionResponse }: Part): Blob[] {
  const inner = (functionResponse?.parts ?? []).map((part) => part.inlineData);
  return [inlineData, ...inner].filter((blob) => blob !== undefined);
}

function checkBlob({ mimeType = "", data = "" }: Blob): void {
  if (!readable.some((pattern) => pattern.test(mimeType))) {
    throw invalid(`Unsupported MIME type: ${mimeType}`);
  }
  if (!/^image\/(png|jpeg|webp)$/.test(mimeType)) return;
  const bytes = decodeBase64(toPlainAlphabet(data));
  if (bytes !== undefined && readImage(bytes) !== undefined) return;
  throw invalid(
    "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  );
}

function toPlainAlphabet(text: string): string {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}
