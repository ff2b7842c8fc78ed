/** Events over a wire and back. */
import type { AgentEventBody } from "@capstan/kernel";
import { WireReader, toWireJson, toWireJsonOfTurn } from "@capstan/log";
import type { SessionEvent, WireEvent } from "@capstan/log";
import { expect, test } from "vitest";

const ids = { sessionId: "s1", turnId: "t1" };
const toEvent = (body: AgentEventBody): SessionEvent => ({ ...body, ...ids });
const parse = (json: string): WireEvent => JSON.parse(json) as WireEvent;

const reply: readonly SessionEvent[] = (
  [
    { type: "turn_start", input: ["m1"] },
    { type: "message_start", role: "assistant", messageId: "m2" },
    { type: "thinking_start" },
    { type: "thinking_delta", delta: 'Is "é"\n\u2028 safe?' },
    { type: "thinking_end", thinking: 'Is "é"\n\u2028 safe?' },
    { type: "text_start" },
    { type: "text_delta", delta: "Yes" },
    { type: "text_delta", delta: ", it is." },
    { type: "text_end", text: "Yes, it is." },
    { type: "text_start" },
    { type: "text_end", text: "" },
    { type: "toolcall_start", index: 0, id: "c1", name: "look" },
    { type: "toolcall_delta", index: 0, delta: "{}" },
    {
      type: "toolcall_end",
      index: 0,
      toolCall: { type: "tool_call", id: "c1", name: "look", input: {} },
    },
    { type: "tool_execution_delta", toolCallId: "c1", delta: "looking" },
    { type: "turn_end", finishReason: "stop", usage: {} },
    { type: "settled" },
  ] satisfies AgentEventBody[]
).map(toEvent);

test("events are identical after the wire, with their ids and the text of their deltas", () => {
  const [first, ...others] = reply as [SessionEvent, ...SessionEvent[]];
  const lines = [toWireJsonOfTurn(first), ...others.map(toWireJson)];

  const reader = new WireReader("s1");
  const read = lines.map((line) => reader.read(parse(line)));

  expect(read).toEqual(reply);
});

test("the end of a text does not repeat it, and no event but the first names its turn", () => {
  const lines = reply.slice(1).map(toWireJson);

  expect(lines.join("\n")).not.toContain("t1");
  expect(lines.join("\n")).not.toContain("s1");
  expect(lines.filter((line) => line.includes('_end"}'))).toEqual([
    '{"type":"thinking_end"}',
    '{"type":"text_end"}',
    '{"type":"text_end"}',
  ]);
});

test("a reader that joined with a snapshot knows what came before it", () => {
  const reader = new WireReader("s1");
  const message = { id: "m2", content: [{ type: "text", text: "Yes" }] } as const;
  reader.read({ type: "snapshot", message, toolOutputs: [], turnId: "t1" });
  reader.read({ type: "text_delta", delta: ", it is." });

  const end = reader.read({ type: "text_end" });

  expect(end).toEqual(toEvent({ type: "text_end", text: "Yes, it is." }));
});

test("another turn is named, and an event of a newer program is passed on", () => {
  const reader = new WireReader("s1");
  reader.read({ type: "settled", turnId: "t1" });

  const next = reader.read({ type: "turn_start", input: [], turnId: "t2" });
  const unknown = reader.read({ type: "news", what: 1 } as unknown as WireEvent);

  expect(next.turnId).toBe("t2");
  expect(unknown).toEqual({ type: "news", what: 1, sessionId: "s1", turnId: "t2" });
});
