/** A difference between the kernel's events and those of the log that is allowed. */
import type { AgentEvent } from "@capstan/kernel";

/**
 * The events of neighbouring calls sorted by their call. The log tells them in the order of their facts. The kernel shows a tool
 * that returns at once before what was recorded together with its start.
 */
export function byCall(events: readonly AgentEvent[]): AgentEvent[] {
  const sorted: AgentEvent[] = [];
  let neighbours: AgentEvent[] = [];
  const flush = (): void => {
    sorted.push(...neighbours.toSorted((a, b) => callOf(a).localeCompare(callOf(b))));
    neighbours = [];
  };
  for (const event of events) {
    if (callOf(event) === "") flush();
    neighbours.push(event);
  }
  flush();
  return sorted;
}

function callOf(event: AgentEvent): string {
  if (event.type === "tool_execution_end") return event.toolCallId;
  return event.type === "awaiting_tool_execution" ? (event.pending[0]?.toolCallId ?? "") : "";
}
