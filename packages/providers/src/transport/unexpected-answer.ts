/** Error for a success status without a valid reply. */
import { ProviderError } from "@capstan/kernel";
import { oneLine } from "./http-errors.ts";
import type { WireCall } from "./wire-call.ts";

/** `text` is the beginning of the body. */
export function unexpectedAnswer(
  { vendor, place }: WireCall,
  { status, headers }: Response,
  text: string,
): ProviderError {
  const answer = `${vendor.name} answered a request to ${place} with status ${status}`;
  if (text.trim() === "") {
    return new ProviderError("network", `${answer} and an empty body: retry`, { status });
  }
  const contentType = headers.get("content-type") ?? "no content type";
  return new ProviderError(
    "protocol",
    `${answer}, but the body is not a model's reply (${contentType}): check the base URL. It begins: ${oneLine(text, 200)}`,
    { status },
  );
}
