/** What is recorded and shown about a call. */
import type { CallRun } from "./call-run.ts";
import type { AgentEvent } from "./contracts/events.ts";
import type { Fact } from "./contracts/journal.ts";
import type { ToolResult } from "./contracts/tool.ts";
import type { Draft } from "./draft.ts";
import type { TurnState } from "./turn-state.ts";

/** Before it starts. */
export function intentFact(run: CallRun, step: number, key: string): Fact {
  const isAltered = run.input !== run.call.input;
  return {
    type: "tool_intent",
    step,
    toolCallId: run.call.id,
    key,
    ...(isAltered && { input: run.input }),
  };
}

/** When it is decided. */
export function resultFact(
  run: CallRun,
  step: number,
  result: ToolResult,
  durationMs: number | undefined,
): Fact {
  return {
    type: "tool_result",
    step,
    toolCallId: run.call.id,
    toolName: run.call.name,
    result,
    ...(durationMs !== undefined && { durationMs }),
    ...(run.usage !== undefined && { usage: run.usage }),
    ...(run.cost !== undefined && { cost: run.cost }),
  };
}

/** When that is recorded. */
export function emitResult(
  turn: TurnState,
  run: CallRun,
  result: ToolResult,
  durationMs: number | undefined,
): void {
  const event: Draft<Extract<AgentEvent, { type: "tool_execution_end" }>> = {
    type: "tool_execution_end",
    conversationId: turn.conversationId,
    turnId: turn.turnId,
    toolCallId: run.call.id,
    toolName: run.call.name,
    output: result.output,
    isError: result.isError,
  };
  if (result.details !== undefined) event.details = result.details;
  if (durationMs !== undefined) event.durationMs = durationMs;
  turn.emit(event);
}
