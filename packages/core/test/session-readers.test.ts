import type { Cursor, SessionEvent } from "@capstan/log";
import { RepositoryError, compareCursors, isLiveOnly } from "@capstan/log";
import { callTool, echoTool, say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

interface Seen {
  readonly event: SessionEvent;
  readonly cursor: Cursor;
}

test("a subscriber gets every event with its place, and the last says that nothing more comes", async () => {
  const world = createWorld([callTool("echo"), say("Done")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const seen: Seen[] = [];
  session.subscribe((event, cursor) => seen.push({ event, cursor }));

  await session.send("Hello").response;
  await session.waitForIdle();

  expect(seen.at(-1)?.event.type).toBe("settled");
  const sorted = seen.toSorted((a, b) => compareCursors(a.cursor, b.cursor));
  expect(seen).toEqual(sorted);
  const facts = seen.filter(({ event }) => !isLiveOnly(event));
  expect(facts).toEqual(world.events(session.id));
});

test("a reader that returns with any cursor gets the missing events, without gap or duplicate", async () => {
  const world = createWorld([callTool("echo"), say("Done")], [echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const seen: Seen[] = [];
  session.subscribe((event, cursor) => seen.push({ event, cursor }));
  await session.send("Hello").response;
  await session.waitForIdle();
  const facts = world.events(session.id);

  const replays = await Promise.all(
    seen.map(async ({ cursor: after }) => {
      const replay: Seen[] = [];
      const elsewhere = await world.host().open(session.id);
      elsewhere.subscribe((event, cursor) => replay.push({ event, cursor }), { after });
      await world.clock.advance(0);
      return { after, replay: replay.filter(({ event }) => !isLiveOnly(event)) };
    }),
  );

  expect(replays.length).toBeGreaterThan(15);
  for (const { after, replay } of replays) {
    expect(replay).toEqual(facts.filter(({ cursor }) => compareCursors(cursor, after) > 0));
  }
});

test("a reader in another process follows the turn, deltas included", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say("One "), wait(open.promise), say("Two")]]);
  const session = world.host().createSession({ agent: "helper" });
  const here: Seen[] = [];
  session.subscribe((event, cursor) => here.push({ event, cursor }));
  session.send("Hello");
  await world.clock.advance(0);
  const elsewhere = await world.host().open(session.id);
  const there: Seen[] = [];
  elsewhere.subscribe((event, cursor) => there.push({ event, cursor }), {
    after: { seq: 0, n: 0 },
  });
  await world.clock.advance(0);

  open.resolve();
  await session.waitForIdle();
  await world.clock.advance(0);

  const snapshot = there.find(({ event }) => event.type === "snapshot");
  expect(snapshot?.event).toMatchObject({ message: { content: [{ type: "text", text: "One " }] } });
  expect(there.map(({ event }) => event.type)).toContain("text_delta");
  const after = snapshot?.cursor ?? { seq: 0, n: 0 };
  expect(there.filter(({ cursor }) => compareCursors(cursor, after) > 0)).toEqual(
    here.filter(({ cursor }) => compareCursors(cursor, after) > 0),
  );
});

test("a turn handle in another process ends with the same response", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say("One "), wait(open.promise), say("Two")]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);

  const current = (await world.host().open(session.id)).current;
  open.resolve();

  await expect(current?.response).resolves.toEqual(await turn.response);
});

test("a listener that throws harms nobody, and one that left gets nothing more", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  const seen: SessionEvent[] = [];
  session.subscribe(() => {
    throw new Error("listener");
  });
  const leave = session.subscribe((event) => {
    seen.push(event);
    leave();
  });

  const response = await session.send("Hello").response;

  expect(response.status).toBe("completed");
  expect(seen).toHaveLength(1);
});

test("a subscriber from the beginning of a session that is not stored yet sees all of it", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  const seen: Seen[] = [];
  session.subscribe((event, cursor) => seen.push({ event, cursor }), { after: { seq: 0, n: 0 } });

  await session.send("Hello").response;

  expect(seen.filter(({ event }) => !isLiveOnly(event))).toEqual(world.events(session.id));
});

test("a subscriber is joined when a store that failed is back", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.waitForIdle();
  const { read } = world.repository;
  world.repository.read = () => {
    world.repository.read = read;
    throw new RepositoryError("unavailable", session.id, "The disk is gone");
  };
  const seen: Seen[] = [];
  session.subscribe((event, cursor) => seen.push({ event, cursor }), { after: { seq: 0, n: 0 } });

  await world.clock.advance(1_000);

  expect(seen.filter(({ event }) => !isLiveOnly(event))).toEqual(world.events(session.id));
});

test("a reader in another process sees the end of a turn though the wake-up was lost", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[say("One "), wait(open.promise), say("Two")]]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);
  const deaf = { ...world.repository, subscribe: () => () => {} };
  const current = (await world.host({ repository: deaf }).open(session.id)).current;

  open.resolve();
  await turn.response;
  await world.clock.advance(1_000);

  await expect(current?.response).resolves.toMatchObject({ status: "completed", text: "One Two" });
});
