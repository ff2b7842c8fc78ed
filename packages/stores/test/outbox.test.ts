/** Notes of a handle to the others are gathered for 20 ms: on PostgreSQL, each send is a NOTIFY, and those take turns across the whole server. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Note } from "../src/watch/outbox.ts";
import { Outbox } from "../src/watch/outbox.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("notes of 20 ms are sent together, and only once", () => {
  const sent: (readonly Note[])[] = [];
  const outbox = new Outbox((notes) => void sent.push(notes));

  outbox.changed("s1");
  vi.advanceTimersByTime(10);
  outbox.changed("s2");
  outbox.follow(["s3"], true);
  vi.advanceTimersByTime(9);
  outbox.changed("s1");
  const early = [...sent];
  vi.advanceTimersByTime(1_000);

  expect(early).toEqual([]);
  expect(sent).toEqual([
    [
      { type: "changed", ids: ["s1", "s2"] },
      { type: "follow", ids: ["s3"], isNew: true },
    ],
  ]);
});

test("1,000 writes in a second are told at most 50 times", () => {
  const sent: (readonly Note[])[] = [];
  const outbox = new Outbox((notes) => void sent.push(notes));

  const write = setInterval(() => outbox.changed("s1"), 1);
  vi.advanceTimersByTime(1_000);
  clearInterval(write);

  // The first write of a group starts the 20 ms.
  expect(sent.length).toBeLessThanOrEqual(50);
  expect(sent.length).toBeGreaterThanOrEqual(47);
});

test("while notes are being sent, the next ones gather until 20 ms after that", async () => {
  const sent: (readonly Note[])[] = [];
  const first = Promise.withResolvers<void>();
  const outbox = new Outbox((notes) => {
    sent.push(notes);
    return sent.length === 1 ? first.promise : undefined;
  });

  outbox.changed("s1");
  vi.advanceTimersByTime(20);
  outbox.changed("s2");
  vi.advanceTimersByTime(1_000);
  outbox.changed("s3");
  const whileSending = sent.length;
  first.resolve();
  await vi.advanceTimersByTimeAsync(19);
  const justAfter = sent.length;
  await vi.advanceTimersByTimeAsync(1);

  expect([whileSending, justAfter]).toEqual([1, 1]);
  expect(sent.slice(1)).toEqual([[{ type: "changed", ids: ["s2", "s3"] }]]);
});
