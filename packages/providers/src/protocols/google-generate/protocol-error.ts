/** Error for a reply that violates this API. */
import type { ProviderError } from "@capstan/kernel";
import { unreadable } from "../../projection/unreadable.ts";

export function protocolError(what: string, cause?: unknown): ProviderError {
  return unreadable("Google generateContent", what, cause);
}
