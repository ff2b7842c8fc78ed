/** Converts our messages to AI SDK messages. */
import type { ChatMessage } from "@capstan/kernel";
import { readableOf } from "../projection/readable-origins.ts";
import { asFiles } from "./encode-media.ts";
import { MessageWriter } from "./encode-messages.ts";
import type { AiSdkModel } from "./model.ts";
import { aiSdkApi, originOf } from "./origin.ts";
import type { AiSdkMessage } from "./prompt.ts";

/** Options of `toAiSdkMessages`. */
export interface ToAiSdkMessagesOptions {
  /** The model that will read them: provider data of other models is left out. Without it all is included, as the AI SDK itself does. */
  readonly model?: Pick<AiSdkModel, "provider" | "modelId">;
}

/**
 * Converts messages to those of the AI SDK, for `generateText({ messages })` and anything else that takes AI SDK
 * `ModelMessage`s.
 */
export function toAiSdkMessages(
  messages: readonly ChatMessage[],
  { model }: ToAiSdkMessagesOptions = {},
): AiSdkMessage[] {
  const target = model && originOf(model);
  const writer = new MessageWriter(messages, {
    readableOf: (origin) =>
      target === undefined
        ? { native: origin?.api === aiSdkApi, thinking: true }
        : readableOf(origin, target),
    media: asFiles,
    toolCallId: ({ id }) => id,
    toolName: (name) => name,
  });
  for (const message of messages) writer.add(message);
  return writer.messages;
}
