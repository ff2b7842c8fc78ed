// For comparison: outputs make room one by one, as soon as there are too many. No product should do this.
import type { AgentInit } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";

/** An agent whose outputs are left out by every request anew, the oldest first, until the others fit. */
export function naiveEvictions(maxTotalChars: number): Partial<AgentInit> {
  return {
    outputs: { maxTotalChars: Infinity },
    transformContext: (messages) => leaveOutOldest(messages, maxTotalChars),
  };
}

function leaveOutOldest(messages: readonly ChatMessage[], maxChars: number): ChatMessage[] {
  let room = maxChars;
  return messages
    .toReversed()
    .map((message): ChatMessage => {
      if (message.role !== "tool" || typeof message.content !== "string") return message;
      room -= message.content.length;
      if (room >= 0) return message;
      const content = `(This output was left out to save space. Reference: ${message.toolCallId})`;
      return { ...message, content };
    })
    .toReversed();
}
