import { createAgent, createSession, openSession, SessionError } from "@capstan/core";
import type { Session } from "@capstan/core";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("host.session creates a session at its first call, and opens it at the next", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const start = { agent: "helper", principal: "ada", title: "Trip", metadata: { n: 1 } };
  const first = await world.host().session("chat", start);
  await first.run("Hello");

  const again = await world.host().session("chat", start);
  const text = await again.run("And now?");

  expect(text).toBe("Two");
  expect(again.messages).toHaveLength(4);
  expect(world.entries("chat")[0]).toMatchObject({ type: "created", ...start });
});

test("a session is stored as soon as host.session resolves", async () => {
  const world = createWorld([]);

  await world.host().session("chat", { agent: "helper" });

  expect(world.entries("chat")).toMatchObject([{ type: "created", agent: "helper" }]);
});

test("calls at once, in one host and in several, give one session", async () => {
  const world = createWorld([say("One")]);
  const [one, other] = [world.host(), world.host()];
  const start = { agent: "helper" };

  const sessions = await Promise.all([
    one.session("chat", start),
    one.session("chat", start),
    other.session("chat", start),
  ]);

  expect(new Set(sessions.map(({ incarnation }) => incarnation)).size).toBe(1);
  expect(await sessions[2]?.run("Hello")).toBe("One");
});

test("a host that another one forestalls opens the session that is there", async () => {
  const world = createWorld([say("One")]);
  const { create } = world.repository;
  world.repository.create = (id, entries, head) => {
    world.repository.create = create;
    create.call(world.repository, id, [{ ...entries[0], id: "other" } as never], head);
    return create.call(world.repository, id, entries, head);
  };

  const session = await world.host().session("chat", { agent: "helper" });

  expect(world.entries("chat")).toMatchObject([{ type: "created", id: "other" }]);
  expect(await session.run("Hello")).toBe("One");
});

test.each([
  ["another agent", { agent: "other" }],
  ["another principal", { agent: "helper", principal: "eve" }],
  ["no principal", { agent: "helper" }],
])("a stored session of another agent or principal is not given to %s", async (_, origin) => {
  const world = createWorld([]);
  await world.host().session("chat", { agent: "helper", principal: "ada" });
  const other = createAgent({ name: "other", model: scriptedProvider([]) });

  const opened = world.host({ agents: [world.agent, other] }).session("chat", origin);

  await expect(opened).rejects.toMatchObject({ name: "SessionError", code: "exists" });
});

test("openSession does the same for a program without a host", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const { agent, repository, clock } = world;
  const open = (): Promise<Session> => openSession({ agent, id: "chat", repository, clock });
  const first = await open();
  await first.run("Hello");
  await first.close();

  const again = await open();

  expect(await again.run("And now?")).toBe("Two");
  expect(again.messages).toHaveLength(4);
});

test("the error of createSession for a stored id names the ways to open it", async () => {
  const world = createWorld([]);
  const { agent, repository, clock } = world;
  const host = world.host();
  await host.session("chat", { agent: "helper" });

  const session = createSession({ agent, id: "chat", repository, clock });
  const { error } = await session.send("Hello").response;

  const advice = /host\.session or openSession/;
  expect(error).toMatchObject({ code: "exists", message: expect.stringMatching(advice) });
  expect(() => host.createSession({ agent: "helper", id: "chat" })).toThrow(SessionError);
  expect(() => host.createSession({ agent: "helper", id: "chat" })).toThrow(advice);
});
