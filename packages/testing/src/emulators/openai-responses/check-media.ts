/** Checks type and encoding of an input's images and files. */
import { readDataUrl } from "../data-url.ts";
import { asText, isList, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { decodeBase64, readImage } from "../image-facts.ts";
import { invalid } from "./errors.ts";

export function checkMedia(items: readonly JsonObject[]): void {
  for (const [index, item] of items.entries()) {
    for (const key of ["content", "output"]) {
      const parts = item[key];
      if (!isList(parts)) continue;
      for (const [at, part] of parts.entries()) {
        const path = `input[${index}].${key}[${at}]`;
        if (isObject(part) && part["type"] === "input_image") checkImage(part, path);
        if (isObject(part) && part["type"] === "input_file") checkFile(part, path);
      }
    }
  }
}

function checkImage({ image_url, file_id }: JsonObject, path: string): void {
  if (file_id) return;
  if (!image_url) {
    const param = `${path}.image_url`;
    throw invalid(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  }
  const url = asText(image_url);
  // Remote images are not fetched.
  if (/^https?:\/\//.test(url)) return;
  const data = readDataUrl(url);
  if (data === undefined || !data.mediaType.startsWith("image/")) {
    throw invalid(
      `Invalid '${path}.image_url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${data === undefined ? "a value without the 'data:' prefix" : `unsupported MIME type '${data.mediaType}'`}.`,
      `${path}.image_url`,
      "invalid_value",
    );
  }
  const bytes = decodeBase64(data.text);
  if (bytes === undefined) {
    const message = `Invalid '${path}.image_url'. Expected a valid base64 string.`;
    throw invalid(message, `${path}.image_url`, "invalid_base64_image");
  }
  if (readImage(bytes) === undefined) {
    throw invalid(
      "You uploaded an unsupported image. Please make sure your image has of one of the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      "input",
      "invalid_image_format",
    );
  }
}

const notDocuments = /\.(mp3|wav|m4a|ogg|flac|mp4|mov|avi|mkv|webm|zip|exe)$/i;

function checkFile(file: JsonObject, path: string): void {
  const { file_data, file_id, file_url, filename } = file;
  const given = [file_data, file_id, file_url].filter(Boolean);
  if (given.length !== 1) {
    const message = `Invalid '${path}': expected exactly one of 'file_data', 'file_id' and 'file_url'.`;
    throw invalid(
      message,
      path,
      given.length === 0 ? "missing_required_parameter" : "invalid_value",
    );
  }
  if (file_url !== undefined && notDocuments.test(asText(file_url))) throw unsupportedFile();
  if (file_data === undefined) return;
  if (!filename) {
    const param = `${path}.filename`;
    throw invalid(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  }
  const data = readDataUrl(asText(file_data));
  if (data === undefined || decodeBase64(data.text) === undefined) {
    throw invalid(
      `Invalid '${path}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,JVBERi0='), but got a value without the 'data:' prefix.`,
      `${path}.file_data`,
      "invalid_value",
    );
  }
  if (/^(audio|video|image)\//.test(data.mediaType)) throw unsupportedFile();
}

function unsupportedFile(): Error {
  return invalid(
    "The file type you uploaded is not supported. Please try again with a pdf",
    "input",
    "unsupported_file",
  );
}
