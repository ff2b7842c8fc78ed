import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const conflict = { name: "SessionError", code: "id_conflict" };

/** With a store that answers later, as a database does. */
function later(store: MemoryRepository): SessionRepository {
  return { ...store, read: async (...args) => store.read(...args) };
}

function chat(id = "chat") {
  const world = createWorld([say("Done"), say("Done"), say("Done")]);
  const session = world.host().createSession({ agent: "helper", id });
  return { world, session };
}

test("a turn that is sent again with another text is a conflict, and the first one stays", async () => {
  const { session, world } = chat();
  await session.send("Transfer 5", { id: "m1" }).response;

  const { error } = await session.send("STOP, do not transfer", { id: "m1" }).response;

  expect(error).toMatchObject(conflict);
  expect(world.entries("chat").filter(({ type }) => type === "input")).toHaveLength(1);
});

test("the same turn sent again is the same turn", async () => {
  const { session, world } = chat();
  const input = { role: "user", content: [{ type: "text", text: "Transfer 5" }] } as const;
  const first = await session.send(input, { id: "m1", metadata: { b: 1, a: 2 } }).response;

  const again = await session.send(input, { id: "m1", metadata: { a: 2, b: 1 } }).response;

  expect(again).toEqual(first);
  expect(world.provider.requests).toHaveLength(1);
});

test("the same id with other options of the turn is a conflict", async () => {
  const { session } = chat();
  await session.send("Transfer 5", { id: "m1", temperature: 0 }).response;

  const { error } = await session.send("Transfer 5", { id: "m1", temperature: 1 }).response;

  expect(error).toMatchObject(conflict);
});

test("a turn under way is not mistaken for another text of the same id", async () => {
  const world = createWorld([stall()]);
  const session = world.host().createSession({ agent: "helper" });
  const first = session.send("Transfer 5", { id: "m1" });
  await world.clock.advance(0);

  const { error } = await session.send("STOP", { id: "m1" }).response;

  expect(error).toMatchObject(conflict);
  expect(session.send("Transfer 5", { id: "m1" })).toBe(first);
  expect(session.status).toBe("running");
});

test("a conflict is found in another process, and after a restart", async () => {
  const { session, world } = chat();
  await session.send("Transfer 5", { id: "m1" }).response;
  const other = await world.host({ repository: later(world.repository) }).open("chat");

  const different = await other.send("STOP", { id: "m1" }).response;
  const same = await other.send("Transfer 5", { id: "m1" }).response;

  expect(different.error).toMatchObject(conflict);
  expect(same).toMatchObject({ status: "completed", text: "Done" });
});

test.each(["steer", "followUp"] as const)(
  "a message that is queued again by %s with another text is a conflict",
  async (queue) => {
    const world = createWorld([stall()]);
    const session = world.host().createSession({ agent: "helper" });
    session.send("Hello");
    await world.clock.advance(0);
    const first = await session[queue]("Left", { id: "q1" });

    await expect(session[queue]("Right", { id: "q1" })).rejects.toMatchObject(conflict);
    const again = await session[queue]("Left", { id: "q1" });

    expect(again.id).toBe(first.id);
    expect(session.queued).toMatchObject([{ id: "q1", message: { content: "Left" } }]);
  },
);

test("an id that a turn has is not one for a queued message", async () => {
  const { session } = chat();
  await session.send("Hello", { id: "m1" }).response;

  await expect(session.followUp("Hello", { id: "m1" })).rejects.toMatchObject(conflict);
});
