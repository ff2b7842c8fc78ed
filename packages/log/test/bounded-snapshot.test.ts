/** A bounded snapshot of much live content: its end, and how much is missing; one for all readers. */
import type { AgentEventBody } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { EventFeed } from "@capstan/log";
import { expect, test } from "vitest";
import { boundSnapshot } from "../src/events/bound-snapshot.ts";
import { reply } from "./fold-of.ts";
import { WrittenLog } from "./log-of-turn.ts";

function live(body: AgentEventBody): SessionEvent {
  return { ...body, sessionId: "s1", turnId: "t1" };
}

/** A turn whose tool runs. */
function inTool(): { readonly log: WrittenLog; readonly feed: EventFeed } {
  const log = new WrittenLog();
  log.write({ type: "created", agent: "helper" });
  log.write({ type: "input", messages: [{ role: "user", id: "m1", content: "Hi" }] }, "t1");
  log.write({ type: "turn_started", turnId: "t1", input: ["t1"] });
  log.write({ type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "a1" });
  log.write({ type: "message", turnId: "t1", step: 1, message: reply("a1", "c1") });
  const feed = new EventFeed("s1");
  feed.own(1);
  feed.take(log.entries);
  return { log, feed };
}

test("of long outputs each is shown by its end, with the number of characters before it", () => {
  const toolOutputs = [
    { toolCallId: "c1", output: "0123456789" },
    { toolCallId: "c2", output: "ab" },
  ];

  const bounded = boundSnapshot({ toolOutputs }, 16);

  expect(bounded).toEqual({
    toolOutputs: [
      { toolCallId: "c1", output: "6789", omittedChars: 6 },
      { toolCallId: "c2", output: "ab" },
    ],
  });
});

test("of a long reply its end is shown, and every part says what it lacks", () => {
  const content = [
    { type: "text", text: "hello" },
    { type: "thinking", thinking: "a while" },
    { type: "tool_call", index: 0, id: "c1", name: "echo", inputText: '{"a":1}', input: { a: 1 } },
  ] as const;

  const whole = boundSnapshot({ message: { id: "a1", content }, toolOutputs: [] });
  const half = boundSnapshot({ message: { id: "a1", content }, toolOutputs: [] }, 20);
  const little = boundSnapshot({ message: { id: "a1", content }, toolOutputs: [] }, 6);

  expect(whole.message?.content).toBe(content);
  expect(half.message?.content).toEqual([
    { type: "text", text: "", omittedChars: 5 },
    { type: "thinking", thinking: "ile", omittedChars: 4 },
    content[2],
  ]);
  expect(little.message?.content[2]).toEqual({
    type: "tool_call",
    index: 0,
    id: "c1",
    name: "echo",
    inputText: ":1}",
    omittedChars: 4,
  });
});

test("no character is cut in two", () => {
  const bounded = boundSnapshot({ toolOutputs: [{ toolCallId: "c1", output: "a😀b" }] }, 4);

  expect(bounded.toolOutputs).toEqual([{ toolCallId: "c1", output: "b", omittedChars: 3 }]);
});

test("readers that come at the same moment are given the same snapshot, and the next moment has its own", () => {
  const { feed } = inTool();
  const { cursor } = feed;
  feed.live(live({ type: "tool_execution_delta", toolCallId: "c1", delta: "x".repeat(1_000_000) }));

  const [first] = feed.recentEventsAfter(cursor) ?? [];
  const [second] = feed.recentEventsAfter(cursor) ?? [];
  feed.live(live({ type: "tool_execution_delta", toolCallId: "c1", delta: "y" }));
  const [later] = feed.recentEventsAfter(cursor) ?? [];

  expect(first?.event.type).toBe("snapshot");
  expect(second).toBe(first);
  expect(later).not.toBe(first);
  expect(JSON.stringify(later).length).toBeLessThan(100_000);
});

test("a reader that has missed more than is kept has to be told from the log", () => {
  const { log, feed } = inTool();
  const { cursor } = feed;
  for (let step = 2; step < 202; step++) {
    feed.take([
      log.write({ type: "attempt", turnId: "t1", step, attempt: 1, messageId: `a${step}` }),
    ]);
  }

  expect(feed.recentEventsAfter(cursor)).toBeUndefined();
  expect(feed.recentEventsAfter({ seq: 190, n: 1 })?.length).toBeGreaterThan(10);
});
