/** Events that no entry records: they are shown while a turn runs, and a reader that joins later gets a snapshot instead. */
import type { AgentEventBody } from "@capstan/kernel";

const liveOnlyTypes: ReadonlySet<AgentEventBody["type"]> = new Set<AgentEventBody["type"]>([
  "text_start",
  "text_delta",
  "text_end",
  "thinking_start",
  "thinking_delta",
  "thinking_end",
  "toolcall_start",
  "toolcall_delta",
  "toolcall_end",
  "tool_execution_start",
  "nested_call_start",
  "tool_execution_delta",
  "compaction_start",
  "snapshot",
  "settled",
]);

/** Returns whether an event is sent to live readers only. All others come from entries, by `eventsOf`. */
export function isLiveOnly({ type }: AgentEventBody): boolean {
  return liveOnlyTypes.has(type);
}
