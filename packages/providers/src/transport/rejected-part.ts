/** Finds the part of the conversation that a vendor's error refers to. */
import type { ChatMessage, PartReference, ProviderError } from "@capstan/kernel";
import type { VendorFailure } from "../wire/protocol.ts";
import { copyError } from "./secrets.ts";
import type { WireCall } from "./wire-call.ts";

/** `messages.3.content.1.image`, `input[2].content[0].image_url`: a field, a number, and the rest of the path. */
const bodyPath = /[A-Za-z_]\w*(?:\.\d+|\[\d+\])(?:\.\w+|\[\d+\])*/g;

/** Vendors' messages about media they cannot process, if they do not name the part. */
const complaints: readonly RegExp[] = [
  /could not process (the )?(image|document|pdf)/i,
  /(unsupported|invalid|corrupt(ed)?|unreadable) (image|file|document|pdf)\b/i,
  /unable to process input image/i,
  /does not represent a valid image/i,
  /(image|file|document)[a-z_ ]* (exceeds?|is too (large|big))/i,
  /file type you uploaded is not supported/i,
  /"(invalid_image|image_parse_error|invalid_base64_image|unsupported_file|invalid_image_format|image_too_large)\w*"/,
  /the document has no pages/i,
];

export function withRejectedPart(
  error: ProviderError,
  { text }: VendorFailure,
  { wire, messages }: Pick<WireCall, "wire" | "messages">,
): ProviderError {
  if (error.code !== "invalid_request" || error.rejected !== undefined) return error;
  for (const [path] of text.matchAll(bodyPath)) {
    const rejected = wire.partAt?.(path);
    if (rejected !== undefined) return copyError(error, { rejected });
  }
  if (!complaints.some((complaint) => complaint.test(text))) return error;
  const rejected = newestMedia(messages());
  return rejected === undefined ? error : copyError(error, { rejected });
}

/** The newest media part: the vendor accepted the earlier ones before. */
function newestMedia(messages: readonly ChatMessage[]): PartReference | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== "user" && message.role !== "tool") continue;
    if (typeof message.content === "string") continue;
    const part = message.content.findLastIndex(({ type }) => type !== "text");
    if (part !== -1) return { messageId: message.id, part };
  }
  return undefined;
}
