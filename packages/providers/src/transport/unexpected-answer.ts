/** A success that is no reply. */
import { ProviderError } from "@capstan/kernel";
import { oneLine } from "./http-errors.ts";
import type { WireCall } from "./wire-call.ts";

/** `text` is how its body begins. */
export function unexpectedAnswer(
  { vendor, place }: WireCall,
  { status, headers }: Response,
  text: string,
): ProviderError {
  const answer = `${vendor.name} answered a request to ${place} with status ${status}`;
  if (text.trim() === "") {
    return new ProviderError("network", `${answer} and an empty body: ask again`, { status });
  }
  const contentType = headers.get("content-type") ?? "no content type";
  return new ProviderError(
    "protocol",
    `${answer} and something that is no reply of a model (${contentType}): check that the base URL is right. It begins: ${oneLine(text, 200)}`,
    { status },
  );
}
