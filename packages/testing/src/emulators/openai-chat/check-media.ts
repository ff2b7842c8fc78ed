/** Checks type and encoding of a request's images and files. */
import { readDataUrl } from "../data-url.ts";
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { decodeBase64, readImage } from "../image-facts.ts";
import { invalid } from "../openai-responses/errors.ts";
import { Refusal } from "../refusal.ts";
import { partsOf } from "./chat-request.ts";
import type { ChatRequest } from "./chat-request.ts";

export function checkMedia({ messages }: ChatRequest): void {
  for (const [index, message] of messages.entries()) {
    for (const [at, part] of partsOf(message).entries()) {
      const path = `messages[${index}].content[${at}]`;
      const { image_url: image, file } = part;
      if (isObject(image)) checkImage(asText(image["url"]));
      if (isObject(file)) checkFile(file, `${path}.file`);
    }
  }
}

function checkImage(url: string): void {
  // Remote images are not fetched.
  if (/^https?:\/\//.test(url)) return;
  const data = readDataUrl(url);
  if (data === undefined) {
    throw new Refusal(`Failed to download image from ${url.slice(0, 100)}.`, {
      code: "invalid_image_url",
    });
  }
  if (!data.mediaType.startsWith("image/")) {
    const message = "Invalid MIME type. Only image types are supported.";
    throw new Refusal(message, { code: "invalid_image_format" });
  }
  const bytes = decodeBase64(data.text);
  if (bytes === undefined) {
    throw new Refusal("Invalid base64 image_url.", { code: "invalid_base64_image" });
  }
  if (readImage(bytes) === undefined) {
    throw new Refusal(
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      { code: "invalid_image_format" },
    );
  }
}

function checkFile({ file_data, file_id }: JsonObject, path: string): void {
  if (file_id) return;
  if (file_data === undefined) {
    const param = `${path}.file_id`;
    throw invalid(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
  }
  const data = readDataUrl(asText(file_data));
  if (data?.mediaType === "application/pdf" && decodeBase64(data.text) !== undefined) return;
  const got =
    data === undefined
      ? "a value without the 'data:' prefix"
      : `unsupported MIME type '${data.mediaType}'`;
  throw invalid(
    `Invalid file data: '${path}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aW1nIGJ5dGVzIGhlcmU='), but got ${got}.`,
    `${path}.file_data`,
    "invalid_value",
  );
}
