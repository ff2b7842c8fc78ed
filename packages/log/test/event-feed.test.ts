import type { AgentEventBody } from "@capstan/kernel";
import { EventFeed, formatCursor, parseCursor, startCursor } from "@capstan/log";
import type { Entry, LiveFrame, PlacedEvent, SessionEvent } from "@capstan/log";
import { expect, test } from "vitest";
import { reply } from "./fold-of.ts";
import { WrittenLog } from "./log-of-turn.ts";
import { stored } from "./play-session.ts";

/** A turn in its first attempt: the last event is 4.2. */
function inAttempt(): { readonly log: WrittenLog; readonly feed: EventFeed } {
  const log = new WrittenLog();
  log.write({ type: "created", agent: "helper" });
  log.write({ type: "input", messages: [{ role: "user", id: "m1", content: "Hi" }] }, "t1");
  log.write({ type: "turn_started", turnId: "t1", input: ["t1"] });
  log.write({ type: "attempt", turnId: "t1", step: 1, attempt: 1, messageId: "a1" });
  const feed = new EventFeed("s1");
  feed.own(1);
  feed.take(log.entries);
  return { log, feed };
}

/** The same, with two tools that run and of which one has shown something: the last event is 5.2. */
function inTools(): ReturnType<typeof inAttempt> {
  const { log, feed } = inAttempt();
  feed.take([
    log.write({ type: "message", turnId: "t1", step: 1, message: reply("a1", "c1", "c2") }),
  ]);
  const attemptEnded = { turnId: "t1", step: 1, attempt: 1, outcome: "completed" } as const;
  feed.take([log.write({ type: "attempt_ended", ...attemptEnded })]);
  feed.live(live({ type: "tool_execution_delta", toolCallId: "c1", delta: "half" }));
  return { log, feed };
}

function result(log: WrittenLog, toolCallId: string): Entry {
  const told = { turnId: "t1", step: 1, toolCallId, toolName: "pick" };
  return log.write({ type: "tool_result", ...told, result: { isError: false, output: "" } });
}

function live(body: AgentEventBody): SessionEvent {
  return { ...body, sessionId: "s1", turnId: "t1" };
}

function says(feed: EventFeed, ...deltas: readonly string[]): PlacedEvent[] {
  return deltas.map((delta) => feed.live(live({ type: "text_delta", delta })));
}

function frameOf(
  from: number,
  events: readonly AgentEventBody[],
  more: Partial<LiveFrame> = {},
): LiveFrame {
  return { epoch: 1, seq: 4, from, turnId: "t1", events, ...more };
}

const delta: AgentEventBody = { type: "text_delta", delta: "x" };

function places(events: readonly PlacedEvent[] | string): string[] | string {
  if (typeof events === "string") return events;
  return events.map(({ cursor, event }) => `${formatCursor(cursor)} ${event.type}`);
}

test("live events are numbered after the events of the last entry that had some", () => {
  const { feed, log } = inAttempt();

  expect(places(says(feed, "a", "b"))).toEqual(["4.4 text_delta", "4.5 text_delta"]);
  feed.take([log.write({ type: "steer", message: { role: "user", id: "s1", content: "" } })]);
  expect(places(says(feed, "c"))).toEqual(["4.6 text_delta"]);
  expect(feed.fold.seq).toBe(5);
});

test("entries that were taken before give nothing", () => {
  const { feed, log } = inAttempt();

  expect(feed.take(log.entries)).toEqual([]);
  expect(feed.takeStored(stored(log.entries))).toEqual([]);
  expect(feed.cursor).toEqual({ seq: 4, n: 3 });
});

test.each([
  ["the next events", frameOf(4, [delta, delta]), ["4.4 text_delta", "4.5 text_delta"]],
  ["events of which some are known", frameOf(3, [delta, delta]), ["4.4 text_delta"]],
  ["known events", frameOf(2, [delta, delta]), []],
  ["events after an older entry", frameOf(4, [delta], { seq: 3 }), []],
  ["events after an entry that was not read", frameOf(2, [delta], { seq: 5 }), "ahead"],
  ["events with others missing before them", frameOf(5, [delta]), "gap"],
  [
    "a snapshot of what is missing",
    frameOf(10, [empty(), delta]),
    ["4.10 snapshot", "4.11 text_delta"],
  ],
  ["a snapshot after events with a gap", frameOf(9, [delta, empty()]), ["4.10 snapshot"]],
  ["events of a former owner", frameOf(4, [delta], { epoch: 0 }), []],
  ["events of a later owner", frameOf(4, [delta], { epoch: 2 }), ["4.4 text_delta"]],
] as const)("a follower that gets %s takes what is new", (_, frame, expected) => {
  const { feed } = inAttempt();

  expect(places(feed.frame(frame))).toEqual(expected);
});

test("a frame that left a gap does not move the follower", () => {
  const { feed } = inAttempt();

  feed.frame(frameOf(6, [delta]));

  expect(feed.cursor).toEqual({ seq: 4, n: 3 });
  expect(places(feed.frame(frameOf(4, [delta])))).toEqual(["4.4 text_delta"]);
});

test("once an owner is known, frames of the one before are dropped", () => {
  const { feed } = inAttempt();

  feed.frame(frameOf(4, [delta], { epoch: 2 }));

  expect(feed.epoch).toBe(2);
  expect(feed.frame(frameOf(5, [delta]))).toEqual([]);
});

test("a new owner shows the end of what was live, and frames of the old one are dropped from then on", () => {
  const { feed, log } = inTools();

  const events = feed.take([log.write({ type: "turn_resumed", turnId: "t1", epoch: 2 })]);

  expect(places(events)).toEqual(["7.0 snapshot"]);
  expect(events[0]?.event).toMatchObject({ type: "snapshot", toolOutputs: [] });
  expect(feed.epoch).toBe(2);
  expect(feed.frame(frameOf(4, [delta], { seq: 5 }))).toEqual([]);
});

test("a reader that comes back to a new owner loses what the old one had shown", () => {
  const { feed, log } = inTools();
  const { cursor } = feed;

  feed.take([log.write({ type: "turn_resumed", turnId: "t1", epoch: 2 })]);

  const missed = feed.eventsAfter(cursor, stored(log.entries));
  expect(places(missed)).toEqual(["7.0 snapshot"]);
  expect(missed[0]?.event).toMatchObject({ toolOutputs: [] });
});

test("the first frame after an entry contains what was live before it", () => {
  const { feed, log } = inTools();
  feed.take([result(log, "c2")]);

  const update = feed.live(
    live({ type: "tool_execution_delta", toolCallId: "c1", delta: " done" }),
  );

  expect(feed.toFrame([update])).toEqual({
    epoch: 1,
    incarnation: feed.fold.created?.id,
    seq: 7,
    from: 1,
    turnId: "t1",
    events: [
      { type: "snapshot", toolOutputs: [{ toolCallId: "c1", output: "half" }] },
      { type: "tool_execution_delta", toolCallId: "c1", delta: " done" },
    ],
  });
});

test("a frame of another session of the same id is not shown, however new it is", () => {
  const { feed, log } = inTools();
  const follower = new EventFeed("s1");
  follower.take(log.entries);
  const update = feed.live(
    live({ type: "tool_execution_delta", toolCallId: "c1", delta: " done" }),
  );
  const frame = feed.toFrame([update]) as LiveFrame;

  const stranger = follower.frame({ ...frame, epoch: 9, incarnation: "another" });

  expect(stranger).toBe("ahead");
  expect(follower.frame(frame)).not.toBe("ahead");
});

test("a follower that lost a frame before an entry gets what was live with the next one", () => {
  const { feed, log } = inTools();
  const follower = new EventFeed("s1");
  feed.take([result(log, "c2")]);
  follower.takeStored(stored(log.entries));
  const update = feed.live(
    live({ type: "tool_execution_delta", toolCallId: "c1", delta: " done" }),
  );

  const frame = feed.toFrame([update]) ?? frameOf(1, []);

  expect(places(follower.frame(frame))).toEqual(["7.1 snapshot", "7.2 tool_execution_delta"]);
  expect(follower.frame(frame)).toEqual([]);
  expect(follower.snapshot()?.event).toEqual(feed.snapshot()?.event);
});

test("what an entry has overtaken is not sent, and what is still live is", () => {
  const { feed, log } = inAttempt();
  const overtaken = says(feed, "a");
  feed.take([log.write({ type: "message", turnId: "t1", step: 1, message: reply("a1") })]);

  expect(feed.toFrame(overtaken)).toBeUndefined();
  expect(feed.toFrame([])).toBeUndefined();

  const tools = inTools();
  tools.feed.take([result(tools.log, "c2")]);
  expect(tools.feed.toFrame([])).toMatchObject({ seq: 7, from: 1, events: [{ type: "snapshot" }] });
});

test("a snapshot is there only while something is live", () => {
  const { feed } = inAttempt();
  expect(feed.snapshot()).toBeUndefined();
  expect(feed.snapshotFrame().events).toEqual([
    { type: "snapshot", message: { id: "a1", content: [] }, toolOutputs: [] },
  ]);

  feed.live(live({ type: "text_start" }));
  says(feed, "Hel", "lo");

  const message = { id: "a1", content: [{ type: "text", text: "Hello" }] };
  expect(feed.snapshot()).toMatchObject({
    cursor: { seq: 4, n: 6 },
    event: { type: "snapshot", message },
  });
});

test("a reader that comes back gets the entries it has missed and one snapshot", () => {
  const { feed, log } = inAttempt();
  feed.live(live({ type: "text_start" }));
  says(feed, "a", "b");

  const missed = feed.eventsAfter({ seq: 4, n: 2 }, stored(log.entries));

  expect(places(missed)).toEqual(["4.3 message_start", "4.6 snapshot"]);
  expect(feed.eventsAfter({ seq: 4, n: 6 }, stored(log.entries))).toEqual([]);
  expect(feed.eventsAfter({ seq: 9, n: 1 }, stored(log.entries))).toEqual([]);
});

test("a reader that comes back to a session at rest is told that it is", () => {
  const { feed, log } = inAttempt();
  feed.live(live({ type: "settled" }));

  expect(places(feed.eventsAfter({ seq: 4, n: 3 }, stored(log.entries)))).toEqual(["4.4 settled"]);
});

test("entries that the feed has not taken are none of its readers' business yet", () => {
  const { feed, log } = inAttempt();
  const before = feed.eventsAfter(startCursor, stored(log.entries));

  result(log, "c1");

  expect(feed.eventsAfter(startCursor, stored(log.entries))).toEqual(before);
});

test("a cursor is read as it was written, and what is none is refused", () => {
  expect(parseCursor(formatCursor({ seq: 12, n: 3 }))).toEqual({ seq: 12, n: 3 });
  expect(["", "1", "1.", ".1", "1.2.3", "-1.2", "1.2 ", "1e3.1"].map(parseCursor)).toEqual(
    Array.from({ length: 8 }, () => undefined),
  );
});

function empty(): AgentEventBody {
  return { type: "snapshot", toolOutputs: [] };
}
