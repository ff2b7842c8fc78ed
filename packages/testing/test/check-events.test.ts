import type { AgentEvent, AgentEventBody, EventIds } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { assertValidEvents, checkEvents } from "@capstan/testing";
import type { EventOptions } from "@capstan/testing";
import { expect, test } from "vitest";
import { assistant } from "./messages.ts";
import {
  calling,
  echoed,
  inTurn,
  indexOf,
  messageStart,
  replaced,
  turnEvents,
  withBefore,
  without,
} from "./turn-events.ts";

function faults(events: readonly AgentEvent<EventIds>[], options?: EventOptions): string[] {
  return checkEvents(events, options).map(({ code, index }) => `${code} at ${index}`);
}

test("a turn of two steps, a discarded attempt and a call is valid", () => {
  expect(checkEvents(turnEvents)).toEqual([]);
  expect(() => assertValidEvents(turnEvents)).not.toThrow();
});

test("a problem says what is wrong, where, and with which event", () => {
  const at = indexOf("text_end");
  const events = replaced(at, { type: "text_end", text: "Help" });

  expect(checkEvents(events)).toEqual([
    {
      code: "content-mismatch",
      message: 'text_end: it says "Help", its deltas "Hello"',
      index: at,
      type: "text_end",
    },
  ]);
  expect(() => assertValidEvents(events)).toThrow(`- [${at}] content-mismatch: text_end: it says`);
});

test("a turn begins with turn_start, unless it is resumed", () => {
  const resumed = turnEvents.slice(1);

  expect(faults(resumed)).toEqual(["turn-start at 0"]);
  expect(faults(resumed, { isResumed: true })).toEqual([]);
  expect(faults(turnEvents, { isResumed: true })).toEqual(["turn-start at 0"]);
  expect(faults(withBefore(3, { type: "turn_start", input: [] }))).toEqual(["turn-start at 3"]);
});

test("the messages that start a turn follow at once", () => {
  const events = replaced(0, { type: "turn_start", input: ["u1", "u2"] });

  expect(faults(events)).toEqual(["input at 0"]);
});

test("a turn ends once, and only settled comes after", () => {
  const end = indexOf("turn_end");
  const more: AgentEventBody = { type: "turn_end", finishReason: "stop", usage: {} };

  expect(faults(turnEvents.slice(0, end))).toEqual([`turn-end at ${end - 1}`]);
  expect(faults(withBefore(end, more))).toEqual([`turn-end at ${end + 1}`]);
  expect(faults(withBefore(end + 1, { type: "abort" }))).toEqual([`turn-end at ${end + 1}`]);
});

test("an error of the journal stands for the end of the turn", () => {
  const error = { name: "TurnError", message: "disk full" };
  const cut = turnEvents.slice(0, indexOf("tool_execution_delta"));
  const failed = (code: string): AgentEvent => inTurn({ type: "error", error: { ...error, code } });

  expect(faults([...cut, failed("journal_failed")])).toEqual([]);
  expect(faults([...cut, failed("timeout")])).toEqual([`turn-end at ${cut.length}`]);
});

test("all events belong to one turn and are JSON", () => {
  const foreign: AgentEvent = { type: "abort", conversationId: "c1", turnId: "t2" };
  const odd = { type: "compaction_end", through: "m1", before: Number.NaN, after: 1 } as const;

  expect(faults(turnEvents.toSpliced(3, 0, foreign))).toEqual(["foreign-ids at 3"]);
  expect(faults(withBefore(3, odd))).toEqual(["not-json at 3"]);
});

test("the events of a session belong to one session", () => {
  const events = turnEvents.map(({ conversationId, ...event }): SessionEvent => {
    return { ...event, sessionId: conversationId };
  });
  const foreign: SessionEvent = { type: "abort", sessionId: "s2", turnId: "t1" };

  expect(faults(events)).toEqual([]);
  expect(faults(events.toSpliced(3, 0, foreign))).toEqual(["foreign-ids at 3"]);
});

test("steps rise and end before the next one starts", () => {
  const second = indexOf("step_start", 2);

  expect(faults(without(indexOf("step_end")))).toEqual([`step-order at ${second - 1}`]);
  expect(faults(replaced(second, { type: "step_start", step: 1 }))).toContain(
    `step-order at ${second}`,
  );
  expect(faults(without(indexOf("step_end", 2)))).toEqual([
    `step-order at ${indexOf("turn_end") - 1}`,
  ]);
});

test("a turn that enters in the middle of a step shows only the end of that step", () => {
  const entered: AgentEventBody[] = [
    { type: "turn_start", input: [], continues: "t0" },
    messageStart(echoed),
    { type: "message_end", message: echoed },
    { type: "step_end", step: 4, finishReason: "tool-calls" },
    { type: "step_start", step: 5 },
    { type: "step_end", step: 5, finishReason: "stop" },
    { type: "turn_end", finishReason: "stop", usage: {} },
  ];

  expect(faults(entered.map(inTurn))).toEqual([]);
});

test("a suspended turn leaves its step open", () => {
  const pending = [
    { toolCallId: "k1", kind: "execution", toolName: "echo", input: {}, hash: "h" },
  ] as const;
  const events: AgentEventBody[] = [
    { type: "turn_start", input: [] },
    { type: "step_start", step: 1 },
    { type: "turn_end", finishReason: "tool-calls", usage: {}, pending },
  ];

  expect(faults(events.map(inTurn))).toEqual([]);
});

test("attempts count from one within their step, and each opens an assistant message", () => {
  const second = indexOf("attempt_start", 2);

  expect(faults(replaced(second, { type: "attempt_start", step: 1, attempt: 3 }))).toEqual([
    `attempt-order at ${second}`,
  ]);
  expect(faults(without(indexOf("attempt_discarded")))).toContain(`attempt-order at ${second - 1}`);
  expect(faults(replaced(second, { type: "attempt_start", step: 2, attempt: 2 }))).toEqual([
    `attempt-order at ${second}`,
  ]);
  expect(faults(withBefore(second + 1, { type: "abort" }))).toEqual([
    `attempt-order at ${second}`,
    `attempt-order at ${second + 2}`,
  ]);
});

test("a resumed turn counts on from the attempts of its first step", () => {
  const second = indexOf("attempt_start", 2);
  const resumed = turnEvents.toSpliced(0, second);

  expect(faults(resumed, { isResumed: true, attemptsInStep: 1 })).toEqual([]);
  expect(faults(resumed, { isResumed: true })).toContain("attempt-order at 0");
});

test("an attempt cannot be discarded once it has left a message", () => {
  const at = indexOf("message_end", 2) + 1;
  const error = { name: "E", message: "m" };
  const discarded: AgentEventBody = {
    type: "attempt_discarded",
    step: 1,
    attempt: 2,
    error,
    delayMs: 0,
  };

  expect(faults(withBefore(at, discarded))).toEqual([`attempt-order at ${at}`]);
});

test("messages do not overlap, and end as what they started as", () => {
  const end = indexOf("message_end");
  const late = indexOf("message_end", 3);
  const other: AgentEventBody = { type: "message_end", message: assistant("u1") };

  expect(faults(without(end))).toContain(`message-order at ${end + 2}`);
  expect(faults(without(indexOf("message_start")))).toContain("message-order at 1");
  expect(faults(replaced(end, other))).toContain(`message-order at ${end}`);
  expect(faults(without(late))).toEqual([`message-order at ${late}`]);
});

test("an id ends one message only", () => {
  const at = indexOf("step_end");
  const again = withBefore(at, messageStart(echoed), { type: "message_end", message: echoed });

  expect(faults(again)).toEqual([`message-order at ${at}`]);
});

test("content comes only while an assistant message is open", () => {
  const events = withBefore(3, { type: "text_start" });

  expect(faults(events)).toEqual(["message-order at 3"]);
});

test("parts start before they go on and end before the next starts", () => {
  const text = indexOf("text_start", 2);
  const callStart = indexOf("toolcall_start");

  expect(faults(without(text))).toContain(`part-order at ${text}`);
  expect(faults(without(indexOf("thinking_end")))).toEqual([`part-order at ${text - 1}`]);
  expect(faults(without(indexOf("text_end")))).toContain(`part-order at ${callStart - 1}`);
  expect(faults(without(indexOf("text_end", 2)))).toEqual([
    `part-order at ${indexOf("message_end", 4) - 1}`,
  ]);
  expect(faults(without(callStart))).toContain(`part-order at ${callStart}`);
});

test("a call ends as the call that started", () => {
  const at = indexOf("toolcall_start");
  const other: AgentEventBody = { type: "toolcall_start", index: 0, id: "k9", name: "echo" };

  expect(faults(replaced(at, other))).toEqual([`content-mismatch at ${indexOf("toolcall_end")}`]);
});

test("a message ends with what its deltas said", () => {
  const at = indexOf("message_end", 2);
  const said = (content: typeof calling.content): AgentEvent[] =>
    replaced(at, { type: "message_end", message: { ...calling, content } });
  const [thinking, text, echoCall] = calling.content as [never, never, never];

  expect(faults(said([thinking, { type: "text", text: "Bye" }, echoCall]))).toEqual([
    `content-mismatch at ${at}`,
  ]);
  expect(faults(said([{ type: "thinking", thinking: "?" }, text, echoCall]))).toEqual([
    `content-mismatch at ${at}`,
  ]);
  expect(faults(said([thinking, text]))).toEqual([`content-mismatch at ${at}`]);
});

test("a message that broke off may lack thinking and calls, but not text", () => {
  const at = indexOf("message_end", 2);
  const brokenOff = (content: typeof calling.content): AgentEvent[] =>
    replaced(at, { type: "message_end", message: { ...calling, content, stopReason: "aborted" } });

  expect(faults(brokenOff([{ type: "text", text: "Hello" }]))).toEqual([]);
  expect(faults(brokenOff([{ type: "text", text: "Hell" }]))).toEqual([
    `content-mismatch at ${at}`,
  ]);
});

function thought(thinking: string): AgentEventBody[] {
  return [
    { type: "thinking_start" },
    { type: "thinking_delta", delta: thinking },
    { type: "thinking_end", thinking },
  ];
}

test("a message that broke off may lack thinking between what it keeps, but may not change its order", () => {
  const at = indexOf("message_end", 2);
  const shown = withBefore(indexOf("text_start", 2), ...thought("er"), ...thought("ah"));
  const brokenOff = (...thoughts: string[]): AgentEvent[] => {
    const kept = thoughts.map((thinking) => ({ type: "thinking", thinking }) as const);
    const content = [...kept, { type: "text", text: "Hello" } as const];
    const message = { ...calling, content, stopReason: "aborted" };
    return shown.with(at + 6, { ...shown[at + 6], message } as AgentEvent);
  };

  expect(faults(brokenOff("hm", "ah"))).toEqual([]);
  expect(faults(brokenOff("ah", "hm"))).toEqual([`content-mismatch at ${at + 6}`]);
});

test("an execution starts once, ends once, and shows nothing before or after", () => {
  const start = indexOf("tool_execution_start");
  const end = indexOf("tool_execution_end");
  const endBody = turnEvents[end] as AgentEvent;

  expect(faults(without(start))).toEqual([`execution-order at ${start}`]);
  expect(faults(withBefore(start, turnEvents[start] as AgentEvent))).toEqual([
    `execution-order at ${start + 1}`,
  ]);
  expect(faults(withBefore(end, endBody))).toEqual([`execution-order at ${end + 1}`]);
  expect(faults(without(end))).toEqual([
    `execution-order at ${indexOf("message_end", 3) - 1}`,
    `execution-order at ${indexOf("turn_end") - 1}`,
  ]);
});

test("a result message says what the end of its execution said", () => {
  const at = indexOf("message_end", 3);
  const other: AgentEventBody = { type: "message_end", message: { ...echoed, content: "other" } };

  expect(faults(replaced(at, other))).toEqual([`result-mismatch at ${at}`]);
});

test("nothing can be dropped unnoticed but void and live-only deltas, and settled", () => {
  const indexes = [...turnEvents.keys()];

  const unnoticed = indexes.filter((index) => checkEvents(without(index)).length === 0);

  expect(unnoticed.map((index) => turnEvents[index]?.type)).toEqual([
    "text_delta",
    "toolcall_delta",
    "tool_execution_delta",
    "settled",
  ]);
  expect(unnoticed[0]).toBeLessThan(indexOf("attempt_discarded"));
});
