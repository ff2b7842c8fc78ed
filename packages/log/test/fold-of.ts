/** Short words for logs that are written by hand. */
import type { AssistantMessage, PendingCall, UserMessage } from "@capstan/kernel";
import { entryVersion, SessionFold } from "@capstan/log";
import type { EntryBody, OwnedBody } from "@capstan/log";

/** An entry whose id and time matter, or do not. */
export type Written = EntryBody & { readonly id?: string; readonly at?: number };

/** State after these entries. */
export function foldOf(...entries: readonly Written[]): SessionFold {
  return addTo(new SessionFold(), ...entries);
}

export function addTo(fold: SessionFold, ...entries: readonly Written[]): SessionFold {
  for (const entry of entries) {
    const seq = fold.seq + 1;
    fold.apply({ v: entryVersion, id: `e${seq}`, at: 0, ...entry, seq });
  }
  return fold;
}

export function says(id: string, content = "Hello"): UserMessage {
  return { role: "user", id, content };
}

export function input(id: string, content?: string): Written {
  return { type: "input", id, messages: [says(`${id}-message`, content)] };
}

export function steer(id: string): Written {
  return { type: "steer", id, message: says(id) };
}

export function followUp(id: string): Written {
  return { type: "follow_up", id, message: says(id) };
}

export function started(turnId: string, ...ids: readonly string[]): Written {
  return { type: "turn_started", turnId, input: ids };
}

type End = Partial<Extract<OwnedBody, { type: "turn_ended" }>>;

export function ended(turnId: string, finishReason = "stop", more: End = {}): Written {
  return { type: "turn_ended", turnId, finishReason, usage: {}, ...more };
}

/** A turn from its input to its end. */
export function wholeTurn(id: string, finishReason?: string): Written[] {
  return [input(id), started(id, id), ended(id, finishReason)];
}

export function reply(id: string, ...callIds: readonly string[]): AssistantMessage {
  return {
    role: "assistant",
    id,
    content: callIds.map((callId) => ({ type: "tool_call", id: callId, name: "pick", input: {} })),
    stopReason: callIds.length > 0 ? "tool-calls" : "stop",
  };
}

export function waits(toolCallId: string, more: Partial<PendingCall> = {}): PendingCall {
  return {
    toolCallId,
    kind: "execution",
    toolName: "pick",
    input: {},
    hash: `hash-${toolCallId}`,
    ...more,
  };
}

/** A turn that waits for these calls. */
export function suspended(...pending: readonly PendingCall[]): Written[] {
  const calls = pending.map(({ toolCallId }) => toolCallId);
  return [
    input("t1"),
    started("t1", "t1"),
    { type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "a1" },
    { type: "message", turnId: "t1", step: 1, message: reply("a1", ...calls) },
    { type: "pending", turnId: "t1", step: 1, pending },
    { type: "attempt_ended", turnId: "t1", step: 1, attempt: 1, outcome: "completed" },
    ended("t1", "tool-calls", { pending }),
  ];
}

export function answers(toolCallId: string, id = `answer-${toolCallId}`): Written {
  return { type: "answer", id, toolCallId, result: { isError: false, output: "picked" } };
}

export function decides(
  toolCallId: string,
  isApproved: boolean,
  hash = `hash-${toolCallId}`,
): Written {
  return { type: "decision", id: `decision-${toolCallId}`, toolCallId, hash, isApproved };
}

export function cancels(turnId: string, reason?: string): Written {
  const id = `cancel-${turnId}`;
  return { type: "cancel_requested", id, turnId, ...(reason !== undefined && { reason }) };
}
