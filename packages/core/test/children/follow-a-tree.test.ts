/** Following a session and the sessions below it as one stream. */
import type { Host, Session } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { isLiveOnly, startCursor } from "@capstan/log";
import { callTool, deferredTool, reply, say, wait } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import type { Family } from "./family.ts";
import { asTool, family, member } from "./family.ts";
import type { Seen } from "./tree.ts";
import { ask, factsOf, follow, haveAll, wholeOf } from "./tree.ts";

/** A root that asks a writer, who asks a reader; and the reader again. */
function threeLevels(): { world: Family; host: Host; session: Session } {
  const reader = member("reader", [say("a book"), say("a page")]);
  const writer = member("writer", [ask("reader", "Read"), say("a text")], [asTool(reader)]);
  const script = [reply(ask("writer", "Write"), ask("reader", "Look")), say("Done")];
  const world = family(member("root", script, [asTool(writer), asTool(reader)]));
  const host = world.host();
  return { world, host, session: host.createSession({ agent: "root" }) };
}

test("a subscriber of a tree gets the events of every session in it, each in its order", async () => {
  const { world, session } = threeLevels();
  const seen = follow(session);

  await session.send("Go").response;
  await haveAll(world, session, [[seen]]);

  const whole = wholeOf(world, session.id);
  expect(Object.keys(whole)).toHaveLength(4);
  expect(factsOf(seen)).toEqual(whole);
  const texts = seen.flatMap(({ event }) => (event.type === "text_delta" ? [event.delta] : []));
  expect(texts.toSorted()).toEqual(["Done", "a book", "a page", "a text"]);
});

test("without tree a subscriber gets the events of the session alone", async () => {
  const { session } = threeLevels();
  const seen: SessionEvent[] = [];
  session.subscribe((event) => seen.push(event), { tree: false });

  await session.send("Go").response;

  expect(new Set(seen.map(({ sessionId }) => sessionId))).toEqual(new Set([session.id]));
});

test("from any composite cursor a subscriber gets the rest, in this process and in another", async () => {
  const { world, session } = threeLevels();
  const seen = follow(session);
  await session.send("Go").response;
  await haveAll(world, session, [[seen]]);
  const elsewhere = await world.host().open(session.id);

  const readers = [session, elsewhere].flatMap((handle) =>
    seen.map(({ cursor: after }, index) => [seen.slice(0, index + 1), follow(handle, { after })]),
  );

  await haveAll(world, session, readers);
});

test("from the beginning a subscriber gets everything, of children that have ended, too", async () => {
  const { world, session } = threeLevels();
  await session.send("Go").response;

  const seen = follow(await world.host().open(session.id), { after: startCursor });

  await haveAll(world, session, [[seen]]);
});

test("after the cursor of the session alone, children that were at work then come from the beginning of their work", async () => {
  const open = Promise.withResolvers<void>();
  const reader = member("reader", [[say("a "), wait(open.promise), say("book")]]);
  const world = family(member("root", [ask("reader", "Read"), say("Done")], [asTool(reader)]));
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  await vi.waitFor(() => expect(world.childrenOf(session.id)).toHaveLength(1));
  await world.clock.advance(0);

  const seen = follow(session, { after: session.cursor });
  const late = follow(session);
  await world.clock.advance(0);
  open.resolve();
  await turn.response;
  const [childId = ""] = world.childrenOf(session.id);
  const whole = wholeOf(world, session.id)[childId];
  await vi.waitFor(() => expect(factsOf(seen)[childId]).toEqual(whole));
  await vi.waitFor(() => expect(factsOf(late)[childId]).toEqual(whole));

  expect(seen.map(({ event }) => event.type)).toContain("snapshot");
});

test("a child that ended is no longer part of the cursor", async () => {
  const slow = deferredTool();
  const reader = member("reader", [say("one"), callTool("deferred"), say("two")], [slow]);
  const script = [ask("reader", "A"), ask("reader", "B"), say("Done"), say("Bye")];
  const world = family(member("root", script, [asTool(reader)]));
  const session = world.host().createSession({ agent: "root" });
  const seen = follow(session);
  const turn = session.send("Go");
  const [call] = await slow.whenStarted(1);
  await vi.waitFor(() => expect(seen.at(-1)?.event.type).toBe("tool_execution_start"));

  const during = seen.at(-1)?.cursor ?? "";
  slow.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;
  await haveAll(world, session, [[seen]]);
  await session.send("Bye").response;

  expect(during.match(/:/g)).toHaveLength(1);
  expect(seen.at(-1)?.cursor).toMatch(/^\d+\.\d+\(\)$/);
});

test("a child that remembers is followed again with its next call, without a duplicate", async () => {
  const reader = member("reader", [say("one"), say("two"), say("three")]);
  const script = [
    ask("reader", "A"),
    ask("reader", "B"),
    say("Done"),
    ask("reader", "C"),
    say("So"),
  ];
  const world = family(member("root", script, [asTool(reader, "session")]));
  const session = world.host().createSession({ agent: "root" });
  const seen = follow(session);

  await session.send("Go").response;
  await haveAll(world, session, [[seen]]);
  await session.send("Again").response;
  await haveAll(world, session, [[seen]]);

  const readers = seen.map(({ cursor: after }, index) => [
    seen.slice(0, index + 1),
    follow(session, { after }),
  ]);
  await haveAll(world, session, readers);
});

test("a child that another process runs is followed as well", async () => {
  const open = Promise.withResolvers<void>();
  const reader = member("reader", [[say(["a ", "book"]), wait(open.promise), say(" and more")]]);
  const world = family(member("root", [ask("reader", "Read"), say("Done")], [asTool(reader)]));
  const worker = world.host();
  const session = worker.createSession({ agent: "root" });
  await session.create();
  const elsewhere = await world.host().open(session.id);
  const seen = follow(elsewhere);

  const turn = session.send("Go");
  await vi.waitFor(() => expect(seen.at(-1)?.event).toMatchObject({ delta: "book" }));
  open.resolve();
  await turn.response;
  await haveAll(world, session, [[seen]]);

  const [childId] = world.childrenOf(session.id);
  const live = seen.filter(({ event }) => event.sessionId === childId && isLiveOnly(event));
  expect(live.map(({ event }) => event.type)).toContain("text_delta");
});

test("a deleted child ends its part, and the rest continues", async () => {
  const slow = deferredTool();
  const reader = member("reader", [callTool("deferred"), say("never")], [slow]);
  const world = family(member("root", [ask("reader", "Read"), say("Done")], [asTool(reader)]));
  const host = world.host();
  const session = host.createSession({ agent: "root" });
  let isOver = false;
  const seen = follow(session, { onEnd: () => (isOver = true) });
  const turn = session.send("Go");
  await slow.whenStarted(1);
  await vi.waitFor(() => expect(seen.at(-1)?.event.type).toBe("tool_execution_start"));

  await host.delete(world.childrenOf(session.id)[0] ?? "");
  const aborting = session.abort();
  await world.clock.advance(60_000);
  await aborting;
  await turn.response;

  expect(isOver).toBe(false);
  expect(seen.at(-1)?.cursor).toMatch(/^\d+\.\d+\(\)$/);
  expect(seen.map(({ event }) => event.type)).toContain("turn_end");
});

test("a deleted root ends the whole stream, once", async () => {
  const slow = deferredTool();
  const reader = member("reader", [callTool("deferred")], [slow]);
  const world = family(member("root", [ask("reader", "Read")], [asTool(reader)]));
  const host = world.host();
  const session = host.createSession({ agent: "root" });
  const ends: string[] = [];
  follow(session, { onEnd: ({ code }) => ends.push(code) });
  session.send("Go");
  await slow.whenStarted(1);

  await host.delete(session.id);

  await vi.waitFor(() => expect(ends).toEqual(["not_found"]));
});

test("an aborted child is followed to its end", async () => {
  const slow = deferredTool({ settlesOnAbort: true });
  const reader = member("reader", [callTool("deferred"), say("never")], [slow]);
  const world = family(member("root", [ask("reader", "Read"), say("Done")], [asTool(reader)]));
  const session = world.host().createSession({ agent: "root" });
  const seen = follow(session);
  const turn = session.send("Go");
  await slow.whenStarted(1);

  await session.abort();
  await turn.response;

  await haveAll(world, session, [[seen]]);
  const [childId = ""] = world.childrenOf(session.id);
  expect(factsOf(seen)[childId]?.at(-1)?.type).toBe("turn_end");
});

test.each(["", "1", "1.2(", "1.2(3)", "x", "1.2(3:4.5)", `${"1".repeat(16)}.1`])(
  "the cursor %j is refused",
  (after) => {
    const { session } = threeLevels();

    expect(() => session.subscribe(() => {}, { tree: true, after })).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        message: expect.stringContaining("cursor"),
      }),
    );
  },
);

test("a subscriber of a single session gets its cursor as text, and is refused that of a tree", async () => {
  const { session } = threeLevels();
  const seen: string[] = [];
  session.subscribe((_event, { seq, n }, { cursor }) => seen.push(`${seq}.${n} ${cursor}`));
  await session.send("Go").response;

  const [first = ""] = seen;
  const isSame = seen.every((both) => both.split(" ")[0] === both.split(" ")[1]);

  expect([isSame, first]).toEqual([true, expect.stringMatching(/^\d+\.\d+ /)]);
  expect(() => session.subscribe(() => {}, { after: "3.1()" })).toThrow(/tree: true/);
  expect(() => session.subscribe(() => {}, { after: "3.1" })).not.toThrow();
});

test("unknown sessions in a cursor are ignored", async () => {
  const { world, session } = threeLevels();
  await session.send("Go").response;

  const seen = follow(session, { after: "0.0(2:7.1(),900:3.3(4:1.1()))" });

  await haveAll(world, session, [[seen]]);
});

test("a listener that throws is reported, and gets the rest", async () => {
  const { world } = threeLevels();
  const faults: unknown[] = [];
  const host = world.host({ onError: ({ where }) => faults.push(where) });
  const session = host.createSession({ agent: "root" });
  const seen: Seen[] = [];
  session.subscribe(
    (event, _, { cursor }) => {
      seen.push({ event, cursor });
      throw new Error("No");
    },
    { tree: true },
  );

  await session.send("Go").response;
  await haveAll(world, session, [[seen]]);

  expect(new Set(faults)).toEqual(new Set(["listener"]));
});

test("a subscriber that leaves while logs are read gets nothing more, from any session below", async () => {
  const slow = deferredTool();
  const reader = member("reader", [callTool("deferred"), say("a book")], [slow]);
  const writer = member("writer", [ask("reader", "Read"), say("a text")], [asTool(reader)]);
  const world = family(member("root", [ask("writer", "Write"), say("Done")], [asTool(writer)]));
  const session = world.host().createSession({ agent: "root" });
  const seen = follow(session);
  const turn = session.send("Go");
  const [call] = await slow.whenStarted(1);
  await vi.waitFor(() => expect(seen.at(-1)?.event.type).toBe("tool_execution_start"));
  const after = seen.at(-1)?.cursor ?? "";

  // After as many microtasks as it takes to be at every stage of the way down.
  const late: SessionEvent[] = [];
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const stop = session.subscribe((event) => late.push(event), { tree: true, after });
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    stop();
    late.length = 0;
  }
  slow.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;
  await haveAll(world, session, [[seen]]);

  expect(late).toEqual([]);
});

test("a subscriber that leaves gets nothing more, from any session", async () => {
  const { session } = threeLevels();
  const seen: SessionEvent[] = [];
  const stop: () => void = session.subscribe(
    (event) => {
      seen.push(event);
      if (event.type === "child_started") stop();
    },
    { tree: true },
  );

  await session.send("Go").response;

  expect(seen.at(-1)?.type).toBe("child_started");
});
