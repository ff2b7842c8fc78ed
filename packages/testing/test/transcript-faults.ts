/** Ways to break a valid transcript that has calls. Each says where its fault is. */
import type { ChatMessage } from "@capstan/kernel";

interface BrokenTranscript {
  readonly messages: readonly ChatMessage[];
  readonly index: number;
}

/** `pick` chooses among the positions where the transcript can be broken. */
export type BreakTranscript = (messages: readonly ChatMessage[], pick: number) => BrokenTranscript;

export const dropResult: BreakTranscript = (messages, pick) => {
  const at = pickResult(messages, pick);
  return { messages: messages.toSpliced(at, 1), index: ownerOf(messages, at) };
};

export const repeatResult: BreakTranscript = (messages, pick) => {
  const at = pickResult(messages, pick);
  return { messages: messages.toSpliced(at, 0, messages[at] as ChatMessage), index: at + 1 };
};

export const moveResultToEnd: BreakTranscript = (messages, pick) => {
  const at = pickResult(messages, pick);
  const moved = [...messages.toSpliced(at, 1), messages[at] as ChatMessage];
  return { messages: moved, index: moved.length - 1 };
};

export const swapResults: BreakTranscript = (messages, pick) => {
  const isSecond = (index: number): boolean =>
    messages[index]?.role === "tool" && messages[index - 1]?.role === "tool";
  const at = pickOne([...messages.keys()].filter(isSecond), pick);
  const [left, right] = messages.slice(at - 1, at + 1) as [ChatMessage, ChatMessage];
  return { messages: messages.toSpliced(at - 1, 2, right, left), index: at };
};

export const orphanResult: BreakTranscript = (messages, pick) => {
  const at = pickResult(messages, pick);
  const message = { ...messages[at], id: "other", toolCallId: "other" } as ChatMessage;
  return { messages: messages.with(at, message), index: at };
};

export const repeatMessageId: BreakTranscript = (messages, pick) => {
  const at = pickOne(indexesOf(messages, "user"), pick);
  return { messages: [...messages, { ...messages[at] } as ChatMessage], index: messages.length };
};

export const insertSystem: BreakTranscript = (messages, pick) => {
  const at = 1 + (pick % messages.length);
  const system: ChatMessage = { role: "system", id: "late", content: "x" };
  return { messages: messages.toSpliced(at, 0, system), index: at };
};

export const emptyReply: BreakTranscript = (messages, pick) => {
  const at = pickOne(indexesOf(messages, "assistant"), pick);
  const message = { ...messages[at], content: [] } as unknown as ChatMessage;
  return { messages: messages.with(at, message), index: at };
};

export const failReplyWithCalls: BreakTranscript = (messages, pick) => {
  const at = ownerOf(messages, pickResult(messages, pick));
  const message = { ...messages[at], stopReason: "error" } as ChatMessage;
  return { messages: messages.with(at, message), index: at };
};

export function pickResult(messages: readonly ChatMessage[], pick: number): number {
  return pickOne(indexesOf(messages, "tool"), pick);
}

/** The assistant message that a result belongs to. */
export function ownerOf(messages: readonly ChatMessage[], resultAt: number): number {
  return messages.findLastIndex((message, at) => at < resultAt && message.role === "assistant");
}

function indexesOf(messages: readonly ChatMessage[], role: ChatMessage["role"]): number[] {
  return [...messages.keys()].filter((index) => messages[index]?.role === role);
}

function pickOne(indexes: readonly number[], pick: number): number {
  return indexes[pick % indexes.length] as number;
}
