/** What a vendor sent is none of its protocol. */
import { ProviderError } from "@capstan/kernel";

/** `what` goes on after the name of the API. */
export function unreadable(api: string, what: string, cause?: unknown): ProviderError {
  return new ProviderError(
    "protocol",
    `The ${api} API ${what}: its reply cannot be read. If the base URL leads to another server, check that it speaks this API`,
    { cause },
  );
}
