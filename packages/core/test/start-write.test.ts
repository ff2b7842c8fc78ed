/** The write that posts an input and starts its turn: what comes before it, and when there are two instead. */
import type { AgentInit, Session } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { isPromise, RepositoryError } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import { say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import {
  begun,
  countOf,
  distant,
  posting,
  typesOf,
  watchingStarts,
  wholeTurn,
} from "./started-turns.ts";
import { createWorld } from "./world.ts";

test("nothing is requested, shown or folded before the write is durable", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const gate = { opened: Promise.resolve() };
  const repository = posting(world.repository, async (id, entry, options) => {
    await gate.opened;
    return world.repository.post(id, entry, options);
  });
  const session = await begun(world.host({ repository }));
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.opened = promise;
  const seen: string[] = [];
  session.subscribe(({ type }) => seen.push(type));

  const turn = session.send("And?", { id: "t2" });
  await world.clock.advance(20_000);
  const before = [world.provider.requests.length, seen.length, session.messages.length];
  resolve();
  await turn.response;

  expect(before).toEqual([1, 0, 2]);
  expect(typesOf(world, "t2")).toEqual(wholeTurn);
});

test("an abort in the same moment as a send, on a store that answers at once, comes before the request", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = await begun(world.host());

  const turn = session.send("And?", { id: "t2" });
  await session.abort();
  await turn.response;

  expect(world.provider.requests).toHaveLength(1);
});

test("a reader that the store wakes first gets each event once", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const gate = { opened: Promise.resolve() };
  const repository = posting(world.repository, async (id, entry, options) => {
    const posted = world.repository.post(id, entry, options);
    await gate.opened;
    return posted;
  });
  const session = await begun(world.host({ repository }));
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.opened = promise;
  const seen: string[] = [];
  session.subscribe(({ type }) => seen.push(type));

  const turn = session.send("And?", { id: "t2" });
  await world.clock.advance(1_000);
  resolve();
  await turn.response;

  expect(seen.filter((type) => type === "turn_start")).toHaveLength(1);
  expect(seen.filter((type) => type === "attempt_start")).toHaveLength(1);
});

test("a turn that its process started and did not ask for is resumed by another", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const process = mortal(world.repository);
  const session = await begun(world.host({ repository: process.repository }));
  process.dieAfter("turn_started");

  session.send("And?", { id: "t2" });
  await world.clock.advance(60_000);
  const again = await world.host().open("chat");
  await again.waitForIdle();

  expect(typesOf(world, "t2").slice(0, 4)).toEqual([
    "input",
    "turn_started",
    "attempt",
    "turn_resumed",
  ]);
  expect(again.messages).toHaveLength(4);
});

test("another host that holds the lease gets the input alone, and runs its turn", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const faults: unknown[] = [];
  const session = await begun(world.host({ onError: ({ error }) => faults.push(error) }));
  const claim = world.repository.acquire("chat", "other", 1_000);
  if (claim === undefined || isPromise(claim)) throw new Error("The lease was not given");

  const turn = session.send("And?", { id: "t2" });
  await world.clock.advance(0);
  const before = typesOf(world, "t2");
  world.repository.release(claim.lease);
  await world.clock.advance(60_000);

  expect(before).toEqual(["input"]);
  expect((await turn.response).text).toBe("Two");
  expect(faults).toEqual([]);
});

test("while a turn runs, the stored head says so, and has seen its input and nothing after it", async () => {
  const world = createWorld([say("One"), stall()]);
  const session = await begun(world.host());
  const { lastSeq } = world.repository.read("chat");

  const turn = session.send("And?", { id: "t2" });
  await world.clock.advance(0);
  const [listed] = world.repository.list().sessions;
  turn.abort();
  await turn.response;

  expect(listed?.head).toMatchObject({ status: "running", seen: lastSeq + 1 });
  expect(listed?.lastSeq).toBe(lastSeq + 3);
});

test("a turn that starts with its input reads nothing back", async () => {
  const world = createWorld([say("One"), say("Two")]);
  let reads = 0;
  const read: SessionRepository["read"] = (...args) => {
    reads += 1;
    return world.repository.read(...args);
  };
  const session = await begun(world.host({ repository: { ...world.repository, read } }));
  reads = 0;

  await session.send("And?", { id: "t2" }).response;
  await session.waitForIdle();

  expect(reads).toBe(0);
});

test("settings that planning changes count for the turn that is planned", async () => {
  let session: Session | undefined;
  const instructions = (): string => {
    void session?.configure({ temperature: 0.5 });
    session = undefined;
    return "Help";
  };
  const world = createWorld([say("One")], [], { instructions });
  const chat = world.host().createSession({ agent: "helper", id: "chat" });
  session = chat;

  await chat.send("Hi", { id: "t1" }).response;

  expect(countOf(world, "config")).toBe(1);
  expect(world.provider.requests[0]?.options.temperature).toBe(0.5);
});

test("a message that planning sends comes before the turn that is planned", async () => {
  let sender: Session | undefined;
  const instructions = (): string => {
    void sender?.followUp("From the plan");
    sender = undefined;
    return "Help";
  };
  const world = createWorld([say("One"), say("Two")], [], { instructions });
  const session = world.host().createSession({ agent: "helper", id: "chat" });
  sender = session;

  expect((await session.send("Hi", { id: "t1" }).response).text).toBe("One");
  await session.waitForIdle();

  expect(world.entries("chat").map(({ type }) => type)[1]).toBe("follow_up");
  expect(countOf(world, "turn_started")).toBe(2);
  expect(session.messages).toHaveLength(4);
});

test.each<[string, Partial<AgentInit>, readonly ScriptItem[]]>([
  ["a guard", { guards: { input: () => undefined } }, [say("Two")]],
  ["a step that is prepared", { prepareStep: () => ({}) }, [say("Two")]],
])("a turn with %s starts with its input, and asks later", async (_, settings, script) => {
  const world = createWorld([say("One"), ...script], [], settings);
  const { repository, starts } = watchingStarts(world.repository);
  const session = await begun(world.host({ repository }));

  await session.send("And?", { id: "t2" }).response;

  expect(starts).toEqual([["turn_started", "prompt"], ["turn_started"]]);
});

test("a process that has other work starts the turn in one write all the same, and pauses after it", async () => {
  const world = createWorld([say("One"), say("Two")]);
  let pauses = 0;
  const breathe = (): Promise<void> => {
    pauses += 1;
    return Promise.resolve();
  };
  const { repository, starts } = watchingStarts(world.repository);
  const host = world.host({ repository, clock: { ...world.clock, breathe } });
  const session = await begun(host);

  await session.send("And?", { id: "t2" }).response;

  expect(starts).toEqual([
    ["turn_started", "prompt", "attempt"],
    ["turn_started", "attempt"],
  ]);
  expect(pauses).toBeGreaterThan(0);
});

test("a queued message is posted alone", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const { repository, starts } = watchingStarts(world.repository);
  const session = await begun(world.host({ repository }));
  await session.followUp("Later");
  await session.waitForIdle();

  expect(starts).toEqual([["turn_started", "prompt", "attempt"], []]);
});

test("a turn that cannot be started after its input is left until the store may be back", async () => {
  const world = createWorld([say("One")], [], { instructions: async () => "Help" });
  let starts = 0;
  const append: SessionRepository["append"] = (id, entries, options) => {
    if (entries[0]?.type === "turn_started" && ++starts === 1) {
      throw new RepositoryError("unavailable", id, "gone for a moment");
    }
    return world.repository.append(id, entries, options);
  };
  const host = world.host({ repository: { ...world.repository, append }, onError: () => {} });
  const session = host.createSession({ agent: "helper", id: "chat" });

  const turn = session.send("Hi", { id: "t1" });
  await world.clock.advance(0);
  const before = starts;
  await world.clock.advance(60_000);

  expect(before).toBe(1);
  expect((await turn.response).text).toBe("One");
});

test("what is posted right after a message that follows an answer at once comes after it", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host({ repository: distant(world.repository) }).createSession({
    agent: "helper",
    id: "chat",
  });
  await session.send("Hi", { id: "t1" }).response;

  const turn = session.send("And?", { id: "t2" });
  await session.configure({ thinkingLevel: "low" });
  await turn.response;

  const types = typesOf(world, "t2");
  expect(types.indexOf("input")).toBeLessThan(types.indexOf("config"));
  expect(types[0]).toBe("input");
  expect(countOf(world, "config")).toBe(1);
});
