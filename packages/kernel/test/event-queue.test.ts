import { EventQueue } from "@capstan/kernel";
import type { AgentEvent } from "@capstan/kernel";
import { expect, test } from "vitest";
import { inTurn } from "./arbitrary-events.ts";

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

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.delta : "")).join("");
}

function typesOf(events: readonly AgentEvent[]): string[] {
  return events.map((event) => event.type);
}

test("a reader gets the events in order, then the end", async () => {
  const queue = unread(textStart, text("a"), fact(1));

  const got = await Array.fromAsync(queue);

  expect(got).toEqual([textStart, text("a"), fact(1)]);
});

test("a reader that waits gets each event as soon as it comes", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();

  const first = reader.next();
  queue.push(text("a"));
  const second = reader.next();
  queue.end();

  expect(await first).toEqual({ value: text("a"), done: false });
  expect(await second).toEqual({ value: undefined, done: true });
});

test("a reader in step gets every delta as it came", async () => {
  const queue = new EventQueue();
  const deltas = Array.from({ length: 1_000 }, (_, at) => text(`${at} `));

  const reading = Array.fromAsync(queue);
  await pushOneByOne(queue, deltas);

  expect(await reading).toEqual(deltas);
});

test("a reader that lags by only a few events gets every delta as it came", async () => {
  const deltas = Array.from({ length: 20 }, (_, at) => text(`${at} `));
  const queue = unread(...deltas);

  const got = await Array.fromAsync(queue);

  expect(got).toEqual(deltas);
});

test("unread deltas merge, and nothing of them is lost", async () => {
  const deltas = Array.from({ length: 20_000 }, (_, at) => `${at} `);
  const queue = unread(textStart, ...deltas.map(text), fact(1));

  const got = await Array.fromAsync(queue);

  expect(got.length).toBeLessThan(100);
  expect(textOf(got)).toBe(deltas.join(""));
  expect(got.at(-1)).toEqual(fact(1));
});

test("merging leaves the events alone that others may hold", async () => {
  const events = Array.from({ length: 1_000 }, () => Object.freeze(text("a")));
  const queue = unread(...events);

  const got = await Array.fromAsync(queue);

  expect(textOf(got)).toBe("a".repeat(1_000));
  expect(textOf(events)).toBe("a".repeat(1_000));
});

test.each<readonly [string, AgentEvent, AgentEvent]>([
  ["of two calls", callDelta(0, "a"), callDelta(1, "b")],
  ["of two tools", toolDelta("k1", "a"), toolDelta("k2", "b")],
  ["of text and thinking", text("a"), inTurn({ type: "thinking_delta", delta: "b" })],
])("deltas %s stay apart and in order", async (_, one, other) => {
  const events = Array.from({ length: 200 }, (__, at) => (at % 2 === 0 ? one : other));
  const queue = unread(...events);

  const got = await Array.fromAsync(queue);

  expect(got).toEqual(events);
});

test.each<readonly [string, AgentEvent]>([
  ["one call", callDelta(0, "a")],
  ["one tool", toolDelta("k1", "a")],
])("unread deltas of %s merge", async (_, delta) => {
  const queue = unread(...Array.from({ length: 1_000 }, () => delta));

  const got = await Array.fromAsync(queue);

  expect(got.length).toBeLessThan(100);
  expect(got.map((event) => ("delta" in event ? event.delta : "")).join("")).toBe(
    "a".repeat(1_000),
  );
});

test("a fact between two deltas keeps them apart", async () => {
  const before = Array.from({ length: 100 }, () => text("a"));
  const after = Array.from({ length: 100 }, () => text("b"));
  const queue = unread(...before, fact(1), ...after);

  const got = await Array.fromAsync(queue);

  const at = typesOf(got).indexOf("step_end");
  expect(textOf(got.slice(0, at))).toBe("a".repeat(100));
  expect(textOf(got.slice(at))).toBe("b".repeat(100));
});

test("what comes after the end is dropped", async () => {
  const queue = unread(fact(1));

  queue.push(fact(2));
  const got = await Array.fromAsync(queue);

  expect(got).toEqual([fact(1)]);
});

test("a reader that left gets nothing more, and pushing goes on without it", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();

  queue.push(fact(1));
  queue.push(fact(2));
  await reader.next();
  await reader.return?.();
  queue.push(fact(3));
  const next = await reader.next();

  expect(next).toEqual({ value: undefined, done: true });
});

test("two reads at once are answered in their order", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();

  const reads = Promise.all([reader.next(), reader.next(), reader.next()]);
  queue.push(fact(1));
  queue.push(fact(2));
  queue.end();

  expect(await reads).toEqual([
    { value: fact(1), done: false },
    { value: fact(2), done: false },
    { value: undefined, done: true },
  ]);
});

test("leaving ends a read that is still waiting", async () => {
  const queue = new EventQueue();
  const reader = queue[Symbol.asyncIterator]();

  const waiting = reader.next();
  await reader.return?.();

  expect(await waiting).toEqual({ value: undefined, done: true });
});

test("a second reader is refused and told why", async () => {
  const queue = unread(fact(1));
  const first = Array.fromAsync(queue);

  const second = (): unknown => queue[Symbol.asyncIterator]();

  expect(second).toThrow("already being read: a turn has one reader");
  expect(await first).toEqual([fact(1)]);
});

function callDelta(index: number, delta: string): AgentEvent {
  return inTurn({ type: "toolcall_delta", index, delta });
}

function toolDelta(toolCallId: string, delta: string): AgentEvent {
  return inTurn({ type: "tool_execution_delta", toolCallId, delta });
}

/** Pushes as a provider's stream does: a promise lies between one event and the next. */
async function pushOneByOne(queue: EventQueue, events: readonly AgentEvent[]): Promise<void> {
  for (const event of events) {
    queue.push(event);
    await Promise.resolve();
  }
  queue.end();
}
