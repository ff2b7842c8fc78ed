/** What a session is created with, and where it is found. */
import { createHost } from "@capstan/core";
import { say, sequentialIds } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("whose it is, what it is called and what was said about it stay with a session, in every host", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({
    agent: "helper",
    id: "trip:1",
    principal: "anna",
    title: "Trains",
    metadata: { from: "web" },
  });
  await session.send("Hello").response;

  const elsewhere = await world.host().open("trip:1");
  const state = await elsewhere.snapshot();

  expect(elsewhere.title).toBe("Trains");
  expect(state).toMatchObject({ id: "trip:1", principal: "anna", metadata: { from: "web" } });
  expect(world.repository.list().sessions).toMatchObject([
    {
      id: "trip:1",
      head: { agent: "helper", principal: "anna", title: "Trains", status: "completed" },
    },
  ]);
});

test("without a title a session is called after the first thing that was said", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const before = session.title;

  await session.send("Trains to Oslo").response;
  await session.send("And back").response;

  expect([before, session.title]).toEqual([undefined, "Trains to Oslo"]);
});

test("an id that is taken is refused: in the same host at once, in another with the first send", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const host = world.host();
  const session = host.createSession({ agent: "helper", id: "s1" });
  await session.send("Hello").response;

  expect(() => host.createSession({ agent: "helper", id: "s1" })).toThrow(
    expect.objectContaining({ code: "exists", sessionId: "s1" }),
  );
  const other = world.host().createSession({ agent: "helper", id: "s1" });
  const response = await other.send("Mine").response;

  expect(response).toMatchObject({ status: "error", error: { code: "exists" } });
  expect(session.messages).toHaveLength(2);
});

test.each(["", "a b", "a/b", "x".repeat(129)])("the id %j is none for a session", (id) => {
  const host = createWorld([]).host();

  expect(() => host.createSession({ agent: "helper", id })).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
});

test("settings that cannot be had are refused before the session is there", () => {
  const host = createWorld([]).host();

  expect(() => host.createSession({ agent: "helper", config: { tools: ["nope"] } })).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
  expect(() =>
    host.createSession({
      agent: "helper",
      history: [{ role: "system", id: "s", content: "Be brief." }],
    }),
  ).toThrow(expect.objectContaining({ code: "invalid_input" }));
});

test("the ids of sessions and turns are those that the host is told to make", async () => {
  const world = createWorld([say("One")]);
  const host = world.host({ newId: sequentialIds("mine"), owner: "host-1" });
  const session = host.createSession({ agent: "helper" });

  const turn = session.send("Hello");
  await turn.response;

  expect(session.id).toMatch(/^mine-/);
  expect(turn.id).toMatch(/^mine-/);
});

test("without one, ids are made that nobody has", async () => {
  const { agent, repository, clock } = createWorld([]);
  const host = createHost({ agents: [agent], repository, clock });

  const ids = Array.from({ length: 100 }, () => host.createSession({ agent: "helper" }).id);

  expect(new Set(ids).size).toBe(100);
});
