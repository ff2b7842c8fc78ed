import type { AgentEvent, AgentEventBody, AssistantMessage } from "@capstan/kernel";
import { recordEvents } from "@capstan/testing";
import { expect, expectTypeOf, test } from "vitest";

function inTurn(body: AgentEventBody): AgentEvent {
  return { ...body, conversationId: "c1", turnId: "t1" };
}

const message: AssistantMessage = {
  role: "assistant",
  id: "a1",
  content: [{ type: "text", text: "kept" }],
  stopReason: "stop",
};

test("events are kept in order and found by their type", () => {
  const recorder = recordEvents();

  recorder.emit(inTurn({ type: "text_start" }));
  recorder.emit(inTurn({ type: "text_delta", delta: "a" }));
  recorder.emit(inTurn({ type: "text_delta", delta: "b" }));

  const deltas = recorder.ofType("text_delta");
  expect(recorder.types()).toEqual(["text_start", "text_delta", "text_delta"]);
  expect(deltas.map((event) => event.delta)).toEqual(["a", "b"]);
  expectTypeOf(deltas[0]?.type).toEqualTypeOf<"text_delta" | undefined>();
});

test("the text is without what discarded attempts said, and with what is still being said", () => {
  const recorder = recordEvents();
  recorder.emit(inTurn({ type: "text_delta", delta: "lost" }));
  const error = { name: "E", message: "m" };
  recorder.emit(inTurn({ type: "attempt_discarded", step: 1, attempt: 1, error, delayMs: 0 }));
  recorder.emit(inTurn({ type: "text_delta", delta: "kept" }));
  recorder.emit(inTurn({ type: "message_end", message }));
  recorder.emit(inTurn({ type: "text_delta", delta: ", open" }));

  const whileOpen = recorder.text();
  recorder.emit(inTurn({ type: "turn_end", finishReason: "error", usage: {} }));

  expect(whileOpen).toBe("kept, open");
  expect(recorder.text()).toBe("kept");
});

test("a cleared recorder starts anew with the same list", () => {
  const recorder = recordEvents();
  const { events } = recorder;
  recorder.emit(inTurn({ type: "settled" }));

  recorder.clear();
  recorder.emit(inTurn({ type: "text_start" }));

  expect(events.map((event) => event.type)).toEqual(["text_start"]);
});
