import type { AgentEventBody } from "@capstan/kernel";
import type { LiveFrame, Wakeup } from "@capstan/log";
import { expect, test } from "vitest";
import type { Note } from "../src/watch/outbox.ts";
import { Relay } from "../src/watch/relay.ts";

function frame(from: number, count = 1): LiveFrame {
  const event: AgentEventBody = { type: "text_delta", delta: "x" };
  const events = Array.from({ length: count }, () => event);
  return { epoch: 1, seq: 5, from, turnId: "t", events };
}

interface TestRelay {
  readonly relay: Relay;
  /** The next notes that are sent. */
  next(): Promise<readonly Note[]>;
  readonly demands: boolean[];
}

function testRelay(tellsChanges = false): TestRelay {
  const demands: boolean[] = [];
  let sent = Promise.withResolvers<readonly Note[]>();
  const relay = new Relay({
    tellsChanges,
    send: (notes) => sent.resolve(notes),
    onDemand: (isWanted) => demands.push(isWanted),
  });
  const next = async (): Promise<readonly Note[]> => {
    const notes = await sent.promise;
    sent = Promise.withResolvers();
    return notes;
  };
  return { relay, next, demands };
}

test("consecutive frames become one, and a frame after a gap stays separate", async () => {
  const { relay, next } = testRelay();

  relay.sendLive("s", frame(1, 2));
  relay.sendLive("s", frame(3));
  relay.sendLive("s", frame(7));

  expect(await next()).toEqual([{ type: "live", id: "s", frames: [frame(1, 3), frame(7)] }]);
});

test("many writes to a session are one word to the others, and to who listens here", async () => {
  const { relay, next } = testRelay(true);
  const heard: Wakeup[] = [];
  relay.subscribe("s", (wakeup) => heard.push(wakeup));

  relay.changedLater("s", 2);
  relay.changedLater("t", 7);
  relay.changedLater("s", 3);

  expect(await next()).toEqual([{ type: "changed", ids: ["s", "t"] }]);
  expect(heard).toEqual([{ type: "changed", lastSeq: 3 }]);
});

test("where others see by themselves what was written, only who listens here is told", async () => {
  const { relay, next } = testRelay();
  const heard = Promise.withResolvers<Wakeup>();
  relay.subscribe("s", heard.resolve);

  relay.changedLater("s", 2);
  await heard.promise;
  relay.sendLive("s", frame(1));

  expect(await next()).toEqual([{ type: "live", id: "s", frames: [frame(1)] }]);
});

test("frames are wanted only while a reader follows", () => {
  const { relay } = testRelay();
  const before = relay.isFollowed("s");

  relay.take([{ type: "follow", ids: ["s"], isNew: true }]);

  expect([before, relay.isFollowed("s"), relay.isFollowed("t")]).toEqual([false, true, false]);
  expect(relay.isFollowedElsewhere("s")).toBe(true);
});

test("who listens is told of followers that begin, and not again of those that go on", () => {
  const { relay } = testRelay();
  const heard: Wakeup["type"][] = [];
  relay.subscribe("s", ({ type }) => heard.push(type));

  relay.take([{ type: "follow", ids: ["s"], isNew: true }]);
  relay.take([{ type: "follow", ids: ["s", "t"], isNew: false }]);

  expect(heard).toEqual(["followed"]);
});

test("who listens hears of followers whose beginning was missed", () => {
  const { relay } = testRelay();
  const heard: Wakeup["type"][] = [];
  relay.subscribe("s", ({ type }) => heard.push(type));

  relay.take([{ type: "follow", ids: ["s"], isNew: false }]);

  expect(heard).toEqual(["followed"]);
});

test("a follower announces itself, and again after a gap, when all listeners are woken", async () => {
  const { relay, next } = testRelay();
  const heard: Wakeup["type"][] = [];
  const stop = relay.subscribe("s", ({ type }) => heard.push(type), { isLive: true });
  const first = await next();

  relay.startAnew();

  expect(first).toEqual([{ type: "follow", ids: ["s"], isNew: true }]);
  expect(await next()).toEqual(first);
  expect(heard).toEqual(["changed"]);
  stop();
});

test("other handles are polled only while there are listeners here", () => {
  const { relay, demands } = testRelay();

  const stops = ["s", "s", "t"].map((id) => relay.subscribe(id, () => {}));
  const whileListening = [...demands];
  stops.forEach((stop) => stop());

  expect(whileListening).toEqual([true]);
  expect(demands).toEqual([true, false]);
  expect([...relay.ids()]).toEqual([]);
});
