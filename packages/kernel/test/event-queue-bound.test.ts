/** A reader that lags: what is kept for it is bounded, and it still ends up seeing the same. */
import { EventQueue, LiveView } from "@capstan/kernel";
import type { AgentEvent, AgentEventBody } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyEvents, inTurn } from "./arbitrary-events.ts";

const messageStart = inTurn({ type: "message_start", role: "assistant", messageId: "m1" });
const textStart = inTurn({ type: "text_start" });

function text(delta: string): AgentEvent {
  return inTurn({ type: "text_delta", delta });
}

function fact(step: number): AgentEvent {
  return inTurn({ type: "step_end", step, finishReason: "stop" });
}

/** A queue that has ended and is unread. */
function unread(...events: readonly AgentEvent[]): EventQueue {
  const queue = new EventQueue();
  for (const event of events) queue.push(event);
  queue.end();
  return queue;
}

function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map((event) => event.type);
}

test("above a million characters what is unread becomes one snapshot", async () => {
  const deltas = Array.from({ length: 30 }, (_, at) => String(at % 10).repeat(100_000));
  const queue = unread(messageStart, textStart, ...deltas.map(text));

  const got = await Array.fromAsync(queue);

  expect(typesOf(got).filter((type) => type === "snapshot")).toHaveLength(1);
  expect(foldOf(got)).toEqual(foldOf([messageStart, textStart, text(deltas.join(""))]));
});

test.each<readonly [string, AgentEventBody]>([
  ["text", { type: "text_delta", delta: "x".repeat(1_000_001) }],
  ["a call", { type: "toolcall_delta", index: 0, delta: "x".repeat(1_000_001) }],
  ["an output", { type: "tool_execution_delta", toolCallId: "k1", delta: "x".repeat(1_000_001) }],
])(
  "a snapshot that replaces %s has the ids of its events and none of their fields",
  async (_, delta) => {
    const queue = new EventQueue<AgentEvent<{ readonly room: string; readonly turnId: string }>>();

    queue.push({ ...delta, room: "r1", turnId: "t1" });
    queue.end();
    const [snapshot] = await Array.fromAsync(queue);

    expect(snapshot).toMatchObject({ type: "snapshot", room: "r1", turnId: "t1" });
    expect(snapshot).not.toHaveProperty("delta");
    expect(snapshot).not.toHaveProperty("index");
    expect(snapshot).not.toHaveProperty("toolCallId");
  },
);

test("a snapshot has what the reader had read before it fell behind", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();
  const waiting = reader.next();

  queue.push(messageStart);
  await waiting;
  queue.push(textStart);
  queue.push(text("Hello "));
  await reader.next();
  await reader.next();
  queue.push(text("a".repeat(600_000)));
  queue.push(text("b".repeat(600_000)));
  const { value } = await reader.next();

  expect(value).toEqual(
    inTurn({
      type: "snapshot",
      message: {
        id: "m1",
        content: [{ type: "text", text: `Hello ${"a".repeat(600_000)}${"b".repeat(600_000)}` }],
      },
      toolOutputs: [],
    }),
  );
});

test("a snapshot replaces live events only: facts stay, in their order", async () => {
  const large = text("a".repeat(600_000));
  const queue = unread(messageStart, textStart, large, fact(1), large, fact(2), fact(3));

  const got = await Array.fromAsync(queue);

  expect(got.filter((event) => event.type !== "snapshot")).toEqual([
    messageStart,
    fact(1),
    fact(2),
    fact(3),
  ]);
});

test("large deltas that are read in time never become a snapshot", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();
  const large = text("a".repeat(900_000));

  queue.push(large);
  queue.push(fact(1));
  await reader.next();
  queue.push(large);
  await reader.next();
  const { value } = await reader.next();

  expect(value).toBe(large);
});

/** Mostly none, so that the reader lags, and then a few at once. */
const anyReads = fc.array(fc.constantFrom(0, 0, 0, 0, 0, 1, 6), { minLength: 80, maxLength: 80 });

test("whatever the events and whenever they are read, the reader ends up seeing the same", async () => {
  await fc.assert(
    fc.asyncProperty(anyEvents, anyReads, async (events, reads) => {
      const got = await readAlong(events, reads);

      expect(foldOf(got)).toEqual(foldOf(events));
      expect(factsOf(got)).toEqual(factsOf(events));
    }),
    { numRuns: 300 },
  );
});

function foldOf(events: readonly AgentEvent[]): unknown {
  const view = new LiveView();
  for (const event of events) view.apply(event);
  return view.snapshot();
}

/** Events that are not only live. */
function factsOf(events: readonly AgentEvent[]): AgentEvent[] {
  return events.filter(
    ({ type }) => !/^(text|thinking|toolcall|snapshot|tool_execution_delta)/.test(type),
  );
}

/** Reads so many events after each push, if there are as many, and the rest at the end. */
async function readAlong(
  events: readonly AgentEvent[],
  reads: readonly number[],
): Promise<AgentEvent[]> {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();
  const got: AgentEvent[] = [];
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const { value, done } = await reader.next();
    if (done !== true) got.push(value);
    reading = undefined;
  };
  for (const [at, event] of events.entries()) {
    queue.push(event);
    for (let count = reads[at] ?? 0; count > 0; count -= 1) {
      reading ??= read();
      // Long enough for an event that is there; a reader that has to wait stays waiting.
      await Promise.resolve()
        .then(() => {})
        .then(() => {});
    }
  }
  queue.end();
  await reading;
  for (;;) {
    const { value, done } = await reader.next();
    if (done === true) return got;
    got.push(value);
  }
}
