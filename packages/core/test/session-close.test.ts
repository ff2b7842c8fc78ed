import { createAgent, createSession, doneTool } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { SessionRepository } from "@capstan/log";
import { callTool, manualClock, say, scriptedProvider, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("a session that brought its host along takes it with it: what is under way is left to others", async () => {
  const clock = manualClock(1_000);
  const repository = memoryRepository({ now: clock.now });
  const provider = scriptedProvider([stall(), say("Elsewhere")]);
  const agent = createAgent({ model: provider });
  const session = createSession({ agent, repository, clock });
  const turn = session.send("Hello");
  await clock.advance(0);

  await session.close();
  await clock.advance(60_000);

  await expect(turn.response).resolves.toMatchObject({ error: { code: "host_closed" } });
  expect(provider.requests).toHaveLength(1);
  expect(clock.pending()).toBe(0);
});

test("a lease that comes after the host was closed is given back, and nothing runs", async () => {
  const world = createWorld([stall(), say("Elsewhere")]);
  const first = world.host({ pollMs: Infinity });
  const session = first.createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);
  await first.close();
  const claims = Promise.withResolvers<void>();
  const repository: SessionRepository = {
    ...world.repository,
    claimDue: async (query) => {
      const due = world.repository.claimDue(query);
      await claims.promise;
      return due;
    },
  };
  const late = world.host({ repository, pollMs: Infinity });

  const claiming = late.claimDue();
  await late.close();
  claims.resolve();
  await claiming;
  await world.clock.advance(0);

  expect(world.provider.requests).toHaveLength(1);
  const { sessionId, owner } = { sessionId: session.id, owner: "another" };
  expect(world.repository.acquire(sessionId, owner, 1_000)).toBeDefined();
});

test("a session that brought its host along does not touch the others of its agent", async () => {
  const world = createWorld([stall(), say("Mine")]);
  const other = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
  other.send("Hello");
  await world.clock.advance(0);
  await other.close();

  const { agent, repository, clock } = world;
  const session = createSession({ agent, repository, clock });
  await expect(session.run("Hello")).resolves.toBe("Mine");
  await clock.advance(60_000);

  expect(world.provider.requests).toHaveLength(2);
});

test("an id that was sent before gives its own turn, though another is about to start", async () => {
  const world = createWorld([say("Zero"), say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("0", { id: "t0" }).response;
  await session.send("1", { id: "t1" }).response;

  const next = session.send("2", { id: "t2" });
  const again = session.send("0", { id: "t0" });

  await expect(again.response).resolves.toMatchObject({ text: "Zero" });
  await expect(next.response).resolves.toMatchObject({ text: "Two" });
});

test("the answer of a turn that ended by its done tool is what the model reported", async () => {
  const provider = scriptedProvider([callTool("done", { message: "All is well" })]);
  const session = createSession({ agent: createAgent({ model: provider, tools: [doneTool()] }) });

  await expect(session.run("Look")).resolves.toBe("All is well");
});
