/** A short history that replaces a session's own. */
import type { ChatMessage } from "@capstan/kernel";

export function pastOf(name: string): readonly ChatMessage[] {
  return [
    { role: "user", id: `${name}-1`, content: "Before" },
    {
      role: "assistant",
      id: `${name}-2`,
      content: [{ type: "text", text: "Long before" }],
      stopReason: "stop",
    },
  ];
}
