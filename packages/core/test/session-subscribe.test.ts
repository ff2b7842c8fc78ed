/** Where a subscriber may begin, and what it may do while it is told. */
import type { LiveMessage } from "@capstan/kernel";
import { compareCursors, isLiveOnly, startCursor } from "@capstan/log";
import type { Cursor, SessionEvent } from "@capstan/log";
import { say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

interface Seen {
  readonly event: SessionEvent;
  readonly cursor: Cursor;
}

function typesOf(seen: readonly Seen[]): string[] {
  return seen.map(({ event }) => event.type);
}

function textOf(message: LiveMessage | undefined): string {
  const parts = message?.content ?? [];
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** What a reader has of the text who puts the deltas behind the last snapshot. */
function textAfterSnapshot(seen: readonly Seen[]): string {
  return seen.reduce((text, { event }) => {
    if (event.type === "snapshot") return textOf(event.message);
    return event.type === "text_delta" ? text + event.delta : text;
  }, "");
}

test("who joins a turn from the beginning gets its facts, a snapshot of the rest, and then what comes", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say(["Hel", "lo"]), wait(open.promise), say(", you")]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const seen: Seen[] = [];

  session.subscribe((event, cursor) => seen.push({ event, cursor }), { after: startCursor });
  await world.clock.advance(0);
  const before = typesOf(seen);
  open.resolve();
  await turn.response;

  expect(before[0]).toBe("turn_start");
  expect(before.at(-1)).toBe("snapshot");
  expect(seen[before.length - 1]?.event).toMatchObject({
    message: { content: [{ type: "text", text: "Hello" }] },
  });
  expect(typesOf(seen).slice(before.length)).toContain("text_delta");
  expect(seen).toEqual(seen.toSorted((a, b) => compareCursors(a.cursor, b.cursor)));
});

test("who moves to another host in the middle of a reply gets what it has not seen, and nothing twice", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say(["Hel", "lo"]), wait(open.promise), say(", you")]]);
  const session = world.host().createSession({ agent: "helper" });
  const here: Seen[] = [];
  const leave = session.subscribe((event, cursor) => here.push({ event, cursor }));
  const turn = session.send("Hello");
  await world.clock.advance(0);
  leave();
  const elsewhere = await world.host().open(session.id);
  const there: Seen[] = [];

  const after = here.at(-1)?.cursor ?? startCursor;
  elsewhere.subscribe((event, cursor) => there.push({ event, cursor }), { after });
  await world.clock.advance(0);
  open.resolve();
  await turn.response;
  await world.clock.advance(0);

  const facts = [...here, ...there].filter(({ event }) => !isLiveOnly(event));
  expect(facts).toEqual(world.events(session.id));
  expect(typesOf(there)[0]).toBe("snapshot");
  expect(textAfterSnapshot(there)).toBe("Hello, you");
});

test("who joins without a place gets only what comes", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say("Hel"), wait(open.promise), say("lo")]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const seen: SessionEvent[] = [];

  session.subscribe((event) => seen.push(event));
  open.resolve();
  await turn.response;

  expect(seen.map(({ type }) => type)).not.toContain("turn_start");
  expect(seen.find(({ type }) => type === "text_delta")).toMatchObject({ delta: "lo" });
});

test("who comes back with the last place gets nothing twice, and the next turn whole", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const first: Seen[] = [];
  const leave = session.subscribe((event, cursor) => first.push({ event, cursor }));
  await session.send("First").response;
  await session.waitForIdle();
  leave();
  const after = first.at(-1)?.cursor ?? startCursor;
  const second: Seen[] = [];

  session.subscribe((event, cursor) => second.push({ event, cursor }), { after });
  await world.clock.advance(0);
  const early = [...second];
  await session.send("Second", { id: "t2" }).response;

  expect(early).toEqual([]);
  expect(second.filter(({ event }) => !isLiveOnly(event))).toEqual(
    world.events(session.id).filter(({ event }) => event.turnId === "t2"),
  );
});

test("a function that subscribes twice is told twice, and leaves twice", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const ends: string[] = [];
  const listener = ({ type, turnId }: SessionEvent): void => {
    if (type === "turn_end") ends.push(turnId);
  };
  const leave = session.subscribe(listener);
  session.subscribe(listener);

  await session.send("First", { id: "t1" }).response;
  leave();
  await session.send("Second", { id: "t2" }).response;

  expect(ends).toEqual(["t1", "t1", "t2"]);
});

test("a subscriber may send the next message when it hears that nothing more comes", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const second = Promise.withResolvers<unknown>();
  const leave = session.subscribe(({ type }) => {
    if (type !== "settled") return;
    leave();
    second.resolve(session.run("And now?"));
  });

  const { text } = await session.send("Hello").response;

  expect(text).toBe("One");
  await expect(second.promise).resolves.toBe("Two");
});

test("who leaves before the log was read is told nothing", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  const seen: SessionEvent[] = [];

  const leave = session.subscribe((event) => seen.push(event), { after: startCursor });
  leave();
  await world.clock.advance(0);

  expect(seen).toEqual([]);
});

test("a subscriber that is not ready holds the log back, and then gets the rest of it", async () => {
  const world = createWorld(Array.from({ length: 40 }, (_, n) => say(`Reply ${n}`)));
  const session = world.host().createSession({ agent: "helper" });
  for (let n = 0; n < 40; n += 1) await session.send("More").response;
  const all = world.events(session.id);
  const seen: Seen[] = [];
  const taken = Promise.withResolvers<void>();

  session.subscribe((event, cursor) => seen.push({ event, cursor }), {
    after: startCursor,
    ready: () => taken.promise,
  });
  await world.clock.advance(0);
  const before = seen.length;
  taken.resolve();
  await world.clock.advance(0);

  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(all.length / 2);
  expect(seen.filter(({ event }) => !isLiveOnly(event))).toEqual(all);
});

test("a subscriber that leaves while it holds the log back is told nothing more", async () => {
  const world = createWorld(Array.from({ length: 40 }, (_, n) => say(`Reply ${n}`)));
  const session = world.host().createSession({ agent: "helper" });
  for (let n = 0; n < 40; n += 1) await session.send("More").response;
  const taken = Promise.withResolvers<void>();
  let asked = 0;
  const leave = session.subscribe(() => {}, {
    after: startCursor,
    ready: () => {
      asked += 1;
      return taken.promise;
    },
  });
  await world.clock.advance(0);

  leave();
  taken.resolve();
  await world.clock.advance(0);

  expect(asked).toBe(1);
});
