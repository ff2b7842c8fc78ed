/** For readers that join a turn late: rebuilds its live events from their results. */
import type { AgentEventBody, AssistantMessage } from "@capstan/kernel";
import type { SessionEvent, SessionIds } from "@capstan/log";

/** Returns the event, preceded by the live events that led to it; deltas are merged into one per part. */
export function withLiveEvents(event: SessionEvent): readonly SessionEvent[] {
  if (event.type !== "message_end" || event.message.role !== "assistant") return [event];
  return [...deltasOf(event.message, event), event];
}

function deltasOf({ content }: AssistantMessage, ids: SessionIds): SessionEvent[] {
  let calls = 0;
  return content.flatMap((part): SessionEvent[] => {
    switch (part.type) {
      case "text":
      case "refusal":
        return textEvents(part.text, ids);
      case "thinking":
        return thinkingEvents(part.thinking, ids);
      case "tool_call": {
        const index = calls++;
        const { id, name, input, malformedInput } = part;
        const delta = malformedInput ?? JSON.stringify(input);
        return [
          placed({ type: "toolcall_start", index, id, name }, ids),
          placed({ type: "toolcall_delta", index, delta }, ids),
          placed({ type: "toolcall_end", index, toolCall: part }, ids),
        ];
      }
      case "native":
        return [];
      default:
        return part satisfies never;
    }
  });
}

function textEvents(text: string, ids: SessionIds): SessionEvent[] {
  return [
    placed({ type: "text_start" }, ids),
    placed({ type: "text_delta", delta: text }, ids),
    placed({ type: "text_end", text }, ids),
  ];
}

function thinkingEvents(thinking: string, ids: SessionIds): SessionEvent[] {
  return [
    placed({ type: "thinking_start" }, ids),
    placed({ type: "thinking_delta", delta: thinking }, ids),
    placed({ type: "thinking_end", thinking }, ids),
  ];
}

function placed(body: AgentEventBody, { sessionId, turnId }: SessionIds): SessionEvent {
  return { ...body, sessionId, turnId };
}
