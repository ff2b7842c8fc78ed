/** Error for a vendor's message that violates its protocol. */
import { ProviderError } from "@capstan/kernel";

/** `what` continues the sentence after the API's name. */
export function unreadable(api: string, what: string, cause?: unknown): ProviderError {
  return new ProviderError(
    "protocol",
    `The ${api} API ${what}: its reply cannot be decoded. If the base URL points to another server, check that it implements this API`,
    { cause },
  );
}
