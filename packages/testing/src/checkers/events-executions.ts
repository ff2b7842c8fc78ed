/** Rules for tool executions: each starts once and ends once, and its result matches its message. */
import type { AgentEventBody } from "@capstan/kernel";
import { EventProblems, isSameJson } from "./event-problem.ts";
import type { EventProblem } from "./event-problem.ts";

type ExecutionEnd = Extract<AgentEventBody, { readonly type: "tool_execution_end" }>;

export function checkExecutions(events: readonly AgentEventBody[]): EventProblem[] {
  const problems = new EventProblems();
  const started = new Set<string>();
  const ended = new Map<string, ExecutionEnd>();

  for (const [index, event] of events.entries()) {
    switch (event.type) {
      case "tool_execution_start":
        if (started.has(event.toolCallId) || ended.has(event.toolCallId)) {
          problems.add(index, event, "execution-order", `${event.toolCallId} starts a second time`);
        }
        started.add(event.toolCallId);
        break;
      case "tool_execution_delta":
        if (!started.has(event.toolCallId) || ended.has(event.toolCallId)) {
          problems.add(index, event, "execution-order", `${event.toolCallId} is not running`);
        }
        break;
      case "tool_execution_end":
        // An end without a start is a call that was answered without running.
        if (ended.has(event.toolCallId)) {
          problems.add(index, event, "execution-order", `${event.toolCallId} ends a second time`);
        }
        ended.set(event.toolCallId, event);
        break;
      case "awaiting_tool_execution":
        // A call that its own tool has suspended may start again.
        if (event.toolCallId !== undefined && !started.delete(event.toolCallId)) {
          const text = `${event.toolCallId} is suspended, but was not running`;
          problems.add(index, event, "execution-order", text);
        }
        break;
      case "message_end":
        checkResult(index, event, ended, started, problems);
        break;
      case "turn_end":
        for (const toolCallId of started) {
          if (ended.has(toolCallId)) continue;
          problems.add(index, event, "execution-order", `${toolCallId} has started and not ended`);
        }
        break;
      default:
    }
  }
  return problems.found;
}

/** The end of an execution may belong to an earlier turn that this one continues; then there is nothing to compare. */
function checkResult(
  index: number,
  event: Extract<AgentEventBody, { readonly type: "message_end" }>,
  ended: ReadonlyMap<string, ExecutionEnd>,
  started: ReadonlySet<string>,
  problems: EventProblems,
): void {
  const { message } = event;
  if (message.role !== "tool") return;
  const end = ended.get(message.toolCallId);
  if (end === undefined) {
    if (started.has(message.toolCallId)) {
      const text = `the result of ${message.toolCallId} comes before its execution has ended`;
      problems.add(index, event, "execution-order", text);
    }
    return;
  }
  if (end.isError === message.isError && isSameJson(end.output, message.content)) return;
  const text = `the result of ${message.toolCallId} differs from its tool_execution_end`;
  problems.add(index, event, "result-mismatch", text);
}
