import type { AssistantMessage, ToolCallPart } from "@capstan/kernel";
import { expect, test } from "vitest";
import { CallStates } from "../src/folds/call-states.ts";

/** How often the ids of calls are read while all of them get their results. */
function readsOf(count: number): number {
  let reads = 0;
  const content = Array.from({ length: count }, (_, place): ToolCallPart => {
    const call = { type: "tool_call", name: "tool", input: {} } as const;
    return Object.defineProperty({ ...call, id: "" }, "id", {
      get: () => {
        reads += 1;
        return `c${place}`;
      },
    });
  });
  const message: AssistantMessage = { role: "assistant", id: "m", content, stopReason: "stop" };
  const calls = new CallStates(message, 1);
  const envelope = { v: 1, seq: 1, at: 0, turnId: "t", step: 1 } as const;
  for (let place = 0; place < count; place += 1) {
    const toolCallId = `c${place}`;
    const result = { isError: false, output: "" };
    calls.isLast(toolCallId);
    calls.settle({
      ...envelope,
      id: toolCallId,
      type: "tool_result",
      toolCallId,
      toolName: "tool",
      result,
    });
  }
  expect(calls.isSettled).toBe(true);
  return reads;
}

test("twice as many calls in one reply are twice the work, not four times", () => {
  expect(readsOf(2_000)).toBeLessThanOrEqual(2 * readsOf(1_000));
});
