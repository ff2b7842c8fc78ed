/** Ids of messages on a page, and of the same messages in a session. */
import type { ChatMessage } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";

const revisionMark = "-r";
const revision = /-r(\d+)$/;

/** Id of the turn that a page's message starts: the same, unless a turn cannot have that id. */
export function turnIdOfMessage(messageId: string): string {
  const isUsable =
    /^[\w-]{1,40}$/.test(messageId) && !/__|_\d+$/.test(messageId) && !revision.test(messageId);
  return isUsable ? messageId : `m${hashJson(messageId).slice(0, 24)}`;
}

/** Message of the history that a page's message is; it may have been edited or answered again. */
export function findMessage(
  messages: readonly ChatMessage[],
  messageId: string,
): ChatMessage | undefined {
  const first = turnIdOfMessage(messageId);
  return messages.findLast(({ id, role }) => role === "user" && id.replace(revision, "") === first);
}

/** Id of the next turn for a message that is sent again: an id counts once in a session. */
export function nextRevision(id: string): string {
  const [, number = "1"] = revision.exec(id) ?? [];
  return `${id.replace(revision, "")}${revisionMark}${Number(number) + 1}`;
}

/** Id of the page's message that replies to an input. */
export function replyIdOf(inputId: string): string {
  return `${inputId}-reply`;
}
