/** Rules for messages: every start has an end, and content comes only while an assistant message is open. */
import type { AgentEventBody } from "@capstan/kernel";
import { EventProblems } from "./event-problem.ts";
import type { EventProblem } from "./event-problem.ts";
import { MessageUnderWay } from "./message-under-way.ts";

type MessageEnd = Extract<AgentEventBody, { readonly type: "message_end" }>;

export function checkMessages(events: readonly AgentEventBody[]): EventProblem[] {
  const problems = new EventProblems();
  const ended = new Set<string>();
  let open: MessageUnderWay | undefined;

  for (const [index, event] of events.entries()) {
    switch (event.type) {
      case "message_start":
        if (open !== undefined) {
          problems.add(index, event, "message-order", `${open.name} has not ended`);
        }
        if (ended.has(event.messageId)) {
          problems.add(index, event, "message-order", `${event.messageId} has ended already`);
        }
        open = new MessageUnderWay(event.role, event.messageId, problems);
        break;
      case "message_end":
        if (checkPair(index, event, open, problems)) open?.end(index, event);
        ended.add(event.message.id);
        open = undefined;
        break;
      case "attempt_discarded":
      case "step_end":
      case "turn_end":
        open?.void(index, event);
        open = undefined;
        break;
      case "text_start":
      case "text_delta":
      case "text_end":
      case "thinking_start":
      case "thinking_delta":
      case "thinking_end":
      case "toolcall_start":
      case "toolcall_delta":
      case "toolcall_end":
        if (open?.role === "assistant") open.take(index, event);
        else problems.add(index, event, "message-order", "no assistant message is open");
        break;
      default:
    }
  }
  return problems.found;
}

function checkPair(
  index: number,
  event: MessageEnd,
  open: MessageUnderWay | undefined,
  problems: EventProblems,
): boolean {
  const { role, id } = event.message;
  if (open?.role === role && open.messageId === id) return true;
  const text = `${role} message ${id} ends, but ${open?.name ?? "no message"} is open`;
  problems.add(index, event, "message-order", text);
  return false;
}
