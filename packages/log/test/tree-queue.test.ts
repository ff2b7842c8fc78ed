/** A reader of a tree that lags: what is kept for it is bounded, and it ends up seeing the same. */
import type { LiveMessage } from "@capstan/kernel";
import { LiveView } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { TreeQueue } from "@capstan/log";
import { expect, test } from "vitest";

const startOf = (sessionId: string): SessionEvent[] => [
  {
    type: "message_start",
    role: "assistant",
    messageId: `${sessionId}-m`,
    sessionId,
    turnId: sessionId,
  },
  { type: "text_start", sessionId, turnId: sessionId },
];

function text(sessionId: string, delta: string): SessionEvent {
  return { type: "text_delta", delta, sessionId, turnId: sessionId };
}

function messageOf(sessionId: string, events: readonly SessionEvent[]): LiveMessage | undefined {
  const view = new LiveView();
  for (const event of events) if (event.sessionId === sessionId) view.apply(event);
  return view.snapshot().message;
}

async function read(events: readonly SessionEvent[]): Promise<SessionEvent[]> {
  const queue = new TreeQueue();
  for (const event of events) queue.push(event);
  queue.end();
  return Array.fromAsync(queue);
}

test("a reader that keeps up gets every event, in order", async () => {
  const events = [...startOf("a"), ...startOf("b"), text("a", "1"), text("b", "2")];

  expect(await read(events)).toEqual(events);
});

test.each([
  ["a million characters", 3, "x".repeat(400_000)],
  ["ten thousand deltas", 6_000, "x"],
])(
  "above %s the live events of each session become one snapshot, and facts stay",
  async (_, count, delta) => {
    const fact = { type: "step_start", step: 2, sessionId: "a", turnId: "a" } as const;
    const deltas = Array.from({ length: count }, () => [text("a", delta), text("b", `${delta}b`)]);
    const events = [...startOf("a"), ...startOf("b"), fact, ...deltas.flat(), text("a", "!")];

    const got = await read(events);

    expect(got.length).toBeLessThan(events.length);
    expect(got).toContainEqual(fact);
    expect(messageOf("a", got)).toEqual(messageOf("a", events));
    expect(messageOf("b", got)).toEqual(messageOf("b", events));
  },
);

test("a second reader is refused", () => {
  const queue = new TreeQueue();
  queue[Symbol.asyncIterator]();

  expect(() => queue[Symbol.asyncIterator]()).toThrow("already being read");
});

test("a reader that leaves gets nothing more", async () => {
  const queue = new TreeQueue();
  for (const event of startOf("a")) queue.push(event);

  for await (const event of queue) {
    expect(event.type).toBe("message_start");
    break;
  }
  queue.push(text("a", "late"));

  expect(() => queue[Symbol.asyncIterator]()).toThrow("already being read");
});
