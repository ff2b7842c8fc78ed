import { LiveView } from "@capstan/kernel";
import type { AgentEvent, AgentEventBody } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  think,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyEvents, inTurn } from "./arbitrary-events.ts";

function viewOf(events: readonly AgentEventBody[]): LiveView {
  const view = new LiveView();
  for (const event of events) view.apply(event);
  return view;
}

const opened: AgentEventBody = { type: "message_start", role: "assistant", messageId: "m1" };
const ended: AgentEventBody = {
  type: "message_end",
  message: { role: "assistant", id: "m1", content: [], stopReason: "stop" },
};
const discarded: AgentEventBody = {
  type: "attempt_discarded",
  step: 1,
  attempt: 1,
  error: { name: "Error", message: "overloaded" },
  delayMs: 0,
};
const shows: AgentEventBody = { type: "tool_execution_delta", toolCallId: "k1", delta: "one" };
const turnEnded: AgentEventBody = { type: "turn_end", finishReason: "stop", usage: {} };

test("before anything was said there is nothing to see", () => {
  const view = new LiveView();

  expect(view.snapshot()).toEqual({ toolOutputs: [] });
});

test("a message under way shows its parts as far as they have come", () => {
  const view = viewOf([
    opened,
    { type: "thinking_start" },
    { type: "thinking_delta", delta: "hm" },
    { type: "thinking_end", thinking: "hm" },
    { type: "text_start" },
    { type: "text_delta", delta: "Hel" },
    { type: "text_delta", delta: "lo" },
    { type: "text_end", text: "Hello" },
    { type: "toolcall_start", index: 0, id: "k1", name: "echo" },
    { type: "toolcall_start", index: 1, id: "k2", name: "echo" },
    { type: "toolcall_delta", index: 1, delta: '{"y"' },
    { type: "toolcall_delta", index: 0, delta: '{"x":1}' },
    {
      type: "toolcall_end",
      index: 0,
      toolCall: { type: "tool_call", id: "k1", name: "echo", input: { x: 1 } },
    },
  ]);

  expect(view.snapshot()).toEqual({
    message: {
      id: "m1",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Hello" },
        {
          type: "tool_call",
          index: 0,
          id: "k1",
          name: "echo",
          inputText: '{"x":1}',
          input: { x: 1 },
        },
        { type: "tool_call", index: 1, id: "k2", name: "echo", inputText: '{"y"' },
      ],
    },
    toolOutputs: [],
  });
});

test.each<[string, AgentEventBody[], boolean]>([
  ["before the first event", [], true],
  ["after the start of a message", [opened], true],
  ["within a message", [opened, { type: "text_start" }], false],
  ["after a message", [opened, { type: "text_start" }, ended], true],
  ["while a tool shows output", [shows], false],
  ["after the turn", [shows, turnEnded], true],
])("a view is empty as long as nothing is live: %s", (_, events, isEmpty) => {
  expect(viewOf(events).isEmpty).toBe(isEmpty);
});

test("an index that is used again belongs to the newer call", () => {
  const view = viewOf([
    opened,
    { type: "toolcall_start", index: 0, id: "k1", name: "echo" },
    { type: "toolcall_delta", index: 0, delta: "1" },
    {
      type: "toolcall_end",
      index: 0,
      toolCall: { type: "tool_call", id: "k1", name: "echo", input: 1 },
    },
    { type: "toolcall_start", index: 0, id: "k2", name: "echo" },
    { type: "toolcall_delta", index: 0, delta: "2" },
  ]);

  expect(view.snapshot().message?.content).toMatchObject([
    { id: "k1", inputText: "1", input: 1 },
    { id: "k2", inputText: "2" },
  ]);
});

test.each<readonly [string, AgentEventBody]>([
  ["its message has ended", ended],
  ["its attempt was discarded", discarded],
  ["its turn has ended", turnEnded],
])("what was said is gone when %s", (_, last) => {
  const view = viewOf([opened, { type: "text_start" }, { type: "text_delta", delta: "Hel" }, last]);

  expect(view.snapshot()).toEqual({ toolOutputs: [] });
});

test("a message of the user is never under way", () => {
  const view = viewOf([{ type: "message_start", role: "user", messageId: "u1" }]);

  expect(view.snapshot()).toEqual({ toolOutputs: [] });
});

test("tools that run side by side show what each has said so far", () => {
  const view = viewOf([
    { type: "tool_execution_delta", toolCallId: "k1", delta: "one, " },
    { type: "tool_execution_delta", toolCallId: "k2", delta: "A" },
    { type: "tool_execution_delta", toolCallId: "k1", delta: "two" },
  ]);

  expect(view.snapshot().toolOutputs).toEqual([
    { toolCallId: "k1", output: "one, two" },
    { toolCallId: "k2", output: "A" },
  ]);
});

test("a tool that has ended is not shown any more", () => {
  const view = viewOf([
    { type: "tool_execution_delta", toolCallId: "k1", delta: "one" },
    { type: "tool_execution_delta", toolCallId: "k2", delta: "A" },
    {
      type: "tool_execution_end",
      toolCallId: "k1",
      toolName: "echo",
      output: "one",
      isError: false,
    },
  ]);

  expect(view.snapshot().toolOutputs).toEqual([{ toolCallId: "k2", output: "A" }]);
});

test("when the turn has ended no tool is shown any more", () => {
  const view = viewOf([
    { type: "tool_execution_delta", toolCallId: "k1", delta: "one" },
    turnEnded,
  ]);

  expect(view.snapshot().toolOutputs).toEqual([]);
});

test("looking does not change what comes next", () => {
  const events: AgentEventBody[] = [
    opened,
    { type: "text_start" },
    { type: "text_delta", delta: "Hel" },
  ];
  const view = viewOf(events);

  view.snapshot();
  view.apply({ type: "text_delta", delta: "lo" });

  expect(view.snapshot().message?.content).toEqual([{ type: "text", text: "Hello" }]);
});

test("the text of ten thousand deltas is whole", () => {
  const deltas = Array.from({ length: 10_000 }, (_, at) => `${at},`);

  const view = viewOf([
    opened,
    { type: "text_start" },
    ...deltas.map((delta): AgentEventBody => ({ type: "text_delta", delta })),
  ]);

  expect(view.snapshot().message?.content).toEqual([{ type: "text", text: deltas.join("") }]);
});

test("a snapshot replaces whatever was seen before", () => {
  const view = viewOf([
    opened,
    { type: "text_start" },
    { type: "text_delta", delta: "old" },
    { type: "tool_execution_delta", toolCallId: "k1", delta: "old" },
  ]);
  const snapshot = {
    message: { id: "m2", content: [{ type: "text", text: "new" }] },
    toolOutputs: [{ toolCallId: "k2", output: "new" }],
  } as const;

  view.apply({ type: "snapshot", ...snapshot });

  expect(view.snapshot()).toEqual(snapshot);
});

test("a reader that starts from a snapshot at any point sees the same as one that saw all", () => {
  fc.assert(
    fc.property(anyEvents, fc.nat({ max: 80 }), (events, at) => {
      const whole = viewOf(events);
      const snapshot = viewOf(events.slice(0, at)).snapshot();

      const late = viewOf([inTurn({ type: "snapshot", ...snapshot }), ...events.slice(at)]);

      expect(late.snapshot()).toEqual(whole.snapshot());
    }),
  );
});

test("before a message ends the view shows what the message then has", async () => {
  const view = new LiveView();
  const seen: unknown[] = [];
  const provider = scriptedProvider([
    reply(think(["h", "m"]), say(["Hel", "lo"]), callTool("echo", { x: 1 }, { argumentDeltas: 3 })),
    say("Done"),
  ]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    emit: (event: AgentEvent) => {
      seen.push(...(event.type === "message_end" ? [view.snapshot().message] : []));
      view.apply(event);
    },
  });

  expect(seen).toMatchObject([
    {
      id: turn.messages[0]?.id,
      content: [{ thinking: "hm" }, { text: "Hello" }, { inputText: '{"x":1}', input: { x: 1 } }],
    },
    undefined,
    { id: turn.messages[2]?.id, content: [{ text: "Done" }] },
  ]);
});
