/** Finds the part of a conversation that a model rejects. */
import type { ChatMessage, PartReference, ProviderError } from "@capstan/kernel";
import { copyError } from "../transport/secrets.ts";
import { isFields, textIn } from "./fields.ts";

/** Adds the rejected part to the error: the first of the media type it names, which the model would reject in every later request too. */
export function withRejectedMedia(
  error: ProviderError,
  messages: readonly ChatMessage[],
): ProviderError {
  const { cause } = error;
  const isUnsupported =
    isFields(cause) && textIn(cause, "name") === "AI_UnsupportedFunctionalityError";
  const named = isUnsupported ? textIn(cause, "functionality") : undefined;
  const rejected = named === undefined ? undefined : findMedia(named, messages);
  return rejected === undefined ? error : copyError(error, { rejected });
}

function findMedia(named: string, messages: readonly ChatMessage[]): PartReference | undefined {
  for (const { id, content } of messages.filter(mayHaveMedia)) {
    if (typeof content === "string") continue;
    const part = content.findIndex((one) => one.type !== "text" && named.includes(one.mediaType));
    if (part !== -1) return { messageId: id, part };
  }
  return undefined;
}

function mayHaveMedia(
  message: ChatMessage,
): message is Extract<ChatMessage, { role: "user" | "tool" }> {
  return message.role === "user" || message.role === "tool";
}
