/** The events of a turn of two steps, the first of which has two attempts and a tool call. */
import type { AgentEvent, AgentEventBody, ChatMessage } from "@capstan/kernel";
import { assistant, call, result, user } from "./messages.ts";

/** An event of turn `t1`. */
export function inTurn(body: AgentEventBody): AgentEvent {
  return { ...body, conversationId: "c1", turnId: "t1" };
}

export function messageStart(message: ChatMessage): AgentEventBody {
  return { type: "message_start", role: message.role, messageId: message.id };
}

const asked = user("u1");
const echo = call("k1", { input: { x: 1 } });
export const calling = assistant(
  "a1",
  [{ type: "thinking", thinking: "hm" }, { type: "text", text: "Hello" }, echo],
  "tool-calls",
);
export const echoed = result("k1");
const answer = assistant("a2", [{ type: "refusal", text: "No" }]);

/** Valid as it is; tests break it. */
export const turnEvents: readonly AgentEvent[] = (
  [
    { type: "turn_start", input: ["u1"] },
    messageStart(asked),
    { type: "message_end", message: asked },
    { type: "step_start", step: 1 },
    { type: "attempt_start", step: 1, attempt: 1 },
    { type: "message_start", role: "assistant", messageId: "a0" },
    { type: "text_start" },
    { type: "text_delta", delta: "lost" },
    {
      type: "attempt_discarded",
      step: 1,
      attempt: 1,
      error: { name: "ProviderError", message: "overloaded" },
      delayMs: 0,
    },
    { type: "attempt_start", step: 1, attempt: 2 },
    messageStart(calling),
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "hm" },
    { type: "thinking_end", thinking: "hm" },
    { type: "text_start" },
    { type: "text_delta", delta: "Hel" },
    { type: "text_delta", delta: "lo" },
    { type: "text_end", text: "Hello" },
    { type: "toolcall_start", index: 0, id: "k1", name: "echo" },
    { type: "toolcall_delta", index: 0, delta: '{"x":1}' },
    { type: "toolcall_end", index: 0, toolCall: echo },
    { type: "message_end", message: calling },
    { type: "tool_execution_start", toolCallId: "k1", toolName: "echo", input: { x: 1 } },
    { type: "tool_execution_delta", toolCallId: "k1", delta: "o" },
    {
      type: "tool_execution_end",
      toolCallId: "k1",
      toolName: "echo",
      output: "ok",
      isError: false,
    },
    messageStart(echoed),
    { type: "message_end", message: echoed },
    { type: "step_end", step: 1, finishReason: "tool-calls" },
    { type: "step_start", step: 2 },
    { type: "attempt_start", step: 2, attempt: 1 },
    messageStart(answer),
    { type: "text_start" },
    { type: "text_delta", delta: "No" },
    { type: "text_end", text: "No" },
    { type: "message_end", message: answer },
    { type: "step_end", step: 2, finishReason: "stop" },
    { type: "turn_end", finishReason: "stop", usage: {} },
    { type: "settled" },
  ] satisfies AgentEventBody[]
).map(inTurn);

/** Index of the first event of this type, or of the nth one. */
export function indexOf(type: AgentEvent["type"], nth = 1): number {
  const indexes = [...turnEvents.keys()].filter((index) => turnEvents[index]?.type === type);
  return indexes[nth - 1] as number;
}

export function without(index: number): AgentEvent[] {
  return turnEvents.toSpliced(index, 1);
}

export function withBefore(index: number, ...bodies: readonly AgentEventBody[]): AgentEvent[] {
  return turnEvents.toSpliced(index, 0, ...bodies.map(inTurn));
}

export function replaced(index: number, ...bodies: readonly AgentEventBody[]): AgentEvent[] {
  return turnEvents.toSpliced(index, 1, ...bodies.map(inTurn));
}
