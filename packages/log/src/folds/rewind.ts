/** Decides which messages a rewind leaves: a history is always complete steps. */
import type { ChatMessage } from "@capstan/kernel";
import type { EntryOf } from "../entries/entries.ts";
import type { TranscriptFold } from "./transcript-fold.ts";

/** Message that a rewind names, and whether it is removed too. */
export type RewindPoint = Pick<EntryOf<"history_rewound">, "to" | "isBefore">;

/** Number of messages that are left; undefined if there is no such message. */
export function lengthAfterRewind(
  transcript: TranscriptFold,
  { to, isBefore = false }: RewindPoint,
): number | undefined {
  const { messages, step } = transcript;
  const index = messages.findIndex(({ id }) => id === to);
  if (index === -1) return undefined;
  const length = isBefore ? startOfStep(messages, index) : endOfStep(messages, index);
  // The last step has open calls, which are cut away with it.
  const isOpen = step !== undefined && !step.isSettled && length === messages.length;
  return isOpen ? length - 1 : length;
}

/** Index of the message, or of the reply whose call it is the result of, or that it says was interrupted. */
function startOfStep(messages: readonly ChatMessage[], index: number): number {
  if (isNote(messages[index]) && isInterrupted(messages, index))
    return replyBefore(messages, index);
  return messages[index]?.role === "tool" ? replyBefore(messages, index) : index;
}

/** Index after the message, after the results of its calls, and after the note that it was interrupted. */
function endOfStep(messages: readonly ChatMessage[], index: number): number {
  let end = index + 1;
  while (messages[end]?.role === "tool") end += 1;
  return isNote(messages[end]) && isInterrupted(messages, end) ? end + 1 : end;
}

function isNote(message: ChatMessage | undefined): boolean {
  return message?.role === "user" && message.source === "interruption";
}

/** Whether the step that ends before this index was interrupted. */
function isInterrupted(messages: readonly ChatMessage[], index: number): boolean {
  const reply = messages[replyBefore(messages, index)];
  return reply?.role === "assistant" && reply.stopReason === "aborted";
}

/** Index of the message before this one that is not a result. */
function replyBefore(messages: readonly ChatMessage[], index: number): number {
  let before = index - 1;
  while (messages[before]?.role === "tool") before -= 1;
  return before;
}
