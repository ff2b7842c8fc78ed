/** A conversation of which nothing is left to send. */
import { ProviderError } from "@capstan/kernel";
import type { Target } from "../wire/protocol.ts";

export function nothingToSay({ origin }: Target): ProviderError {
  return new ProviderError(
    "invalid_request",
    `There is nothing to send to ${origin.provider}: no message has anything in it. Add a user message with a text`,
  );
}
