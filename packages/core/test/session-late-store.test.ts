/** Stores that answer later than they act, as a database on another machine does. */
import { createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { callTool, deferredTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

/** The store, with some of its methods in the place of its own. */
function changed(store: SessionRepository, changes: Partial<SessionRepository>): SessionRepository {
  return new Proxy(store, {
    get: (target, name: keyof SessionRepository) =>
      changes[name] ?? (target[name] as (() => unknown) | undefined)?.bind(target),
  });
}

test("a claim that was overtaken by a newer one does not end the work under that", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Done")], [tool]);
  const answer = Promise.withResolvers<void>();
  const repository = changed(world.repository, {
    claimDue: async (query) => {
      const claims = world.repository.claimDue(query);
      await answer.promise;
      return claims;
    },
    acquire: async (...args) => {
      polled ??= host.claimDue();
      return world.repository.acquire(...args);
    },
  });
  const host = world.host({ repository });
  let polled: Promise<void> | undefined;

  const turn = host.createSession({ agent: "helper", id: "s" }).send("Hi");
  const [call] = await tool.whenStarted();
  answer.resolve();
  await polled;
  tool.resolve(call?.toolCallId ?? "", "waited");

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  expect(world.entries("s").map(({ type }) => type)).not.toContain("turn_resumed");
});

test("an owner does not read back what it has written, when it hears of it later", async () => {
  const world = createWorld([say("Done")]);
  let reads = 0;
  const told = Promise.withResolvers<void>();
  const repository = changed(world.repository, {
    read: (...args) => {
      reads += 1;
      return world.repository.read(...args);
    },
    subscribe: (id, listener) =>
      world.repository.subscribe(id, () => {
        const lastSeq = world.entries(id).length;
        setImmediate(() => {
          listener({ type: "changed", lastSeq });
          told.resolve();
        });
      }),
  });
  const host = createHost({ agents: [world.agent], repository });

  await host.createSession({ agent: "helper", id: "s" }).send("Hi").response;
  await told.promise;
  await host.close();

  expect(reads).toBe(0);
});
