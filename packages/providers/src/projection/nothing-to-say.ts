/** Error for a conversation with nothing left to send. */
import { ProviderError } from "@capstan/kernel";
import type { Target } from "../wire/protocol.ts";

export function nothingToSay({ origin }: Target): ProviderError {
  return new ProviderError(
    "invalid_request",
    `Nothing to send to ${origin.provider}: all messages are empty. Add a user message with text`,
  );
}
