/** Turns that are entered in the middle of a step: the history ends in calls that have no results. */
import type { AssistantMessage, ChatMessage, JsonValue, ToolCallPart } from "@capstan/kernel";
import { runToEnd } from "@capstan/testing";
import type { FinishedTurn, RunToEndOptions } from "@capstan/testing";
import { problemsOf } from "./turn-problems.ts";

/** A call with this id of the tool of this name. */
export function called(id: string, name: string, input: JsonValue = {}): ToolCallPart {
  return { type: "tool_call", id, name, input };
}

/** A question, and a reply that calls these tools. */
export function historyWith(...calls: readonly ToolCallPart[]): ChatMessage[] {
  const reply: AssistantMessage = {
    role: "assistant",
    id: "a1",
    content: [{ type: "text", text: "Let me see." }, ...calls],
    stopReason: "tool-calls",
  };
  return [{ role: "user", id: "u1", content: "Hello" }, reply];
}

/** Enters as the same turn goes on after a crash: the open step is its first. */
export function resume(options: RunToEndOptions): Promise<FinishedTurn> {
  const prior = { steps: 1, attempts: 1, usage: {}, isResumed: true };
  return runToEnd({ ...options, journal: { prior, ...options.journal } });
}

/** Like `problemsOf`, for a turn that was resumed. */
export function problemsAfterResume(turn: FinishedTurn): string[] {
  return problemsOf(turn, { isResumed: true });
}

/** Outputs of the tools, or what replaced them. */
export function resultsOf(turn: FinishedTurn): unknown[] {
  return turn.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
}
