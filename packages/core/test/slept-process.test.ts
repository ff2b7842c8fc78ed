/** A process that slept past its lease, as a laptop does: what it was at is lost only if another host has taken the session. */
import { createHost } from "@capstan/core";
import type { Host, HostOptions } from "@capstan/core";
import { RepositoryError, memoryRepository } from "@capstan/log";
import { callTool, deferredTool, manualClock, say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { createWorld } from "./world.ts";

/** The clock of everyone can jump without a timer being fired, as if the machine had slept. */
function sleepingWorld() {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Done")], [tool]);
  const base = manualClock(1_000);
  let slept = 0;
  const now = () => base.now() + slept;
  const clock = { now, timer: base.timer };
  const repository = memoryRepository({ now });
  const host = (options: Partial<HostOptions> = {}): Host => {
    const made = createHost({
      agents: [world.agent],
      repository,
      clock,
      pollMs: Infinity,
      ...options,
    });
    onTestFinished(() => made.close());
    return made;
  };
  const sleep = (ms: number): void => {
    slept += ms;
  };
  const types = () => repository.read("s").entries.map(({ type }) => type);
  return { tool, repository, host, sleep, types, advance: base.advance };
}

function never(): Promise<void> {
  return new Promise(() => {});
}

test("a process that only slept keeps the result of its tool", async () => {
  const { tool, host, sleep, types } = sleepingWorld();
  const turn = host().createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();

  sleep(120_000);
  tool.resolve("t1_1_0", "worked");
  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(response.messages).toContainEqual(
    expect.objectContaining({ role: "tool", content: "worked", isError: false }),
  );
  expect(types()).not.toContain("turn_resumed");
});

test("it does not take its own session from itself", async () => {
  const { tool, host, sleep, types } = sleepingWorld();
  const own = host();
  const turn = own.createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();

  sleep(120_000);
  await own.claimDue();
  tool.resolve("t1_1_0", "worked");

  await expect(turn.response).resolves.toMatchObject({ status: "completed" });
  expect(types()).not.toContain("turn_resumed");
});

test("one whose session another host has taken writes nothing more", async () => {
  const { tool, host, sleep, types, advance } = sleepingWorld();
  const turn = host().createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();

  sleep(120_000);
  await host({ owner: "other" }).claimDue();
  await advance(0);
  tool.resolve("t1_1_0", "worked");
  const response = await turn.response;

  expect(types().filter((type) => type === "turn_resumed")).toHaveLength(1);
  expect(response.messages).toContainEqual(
    expect.objectContaining({ role: "tool", isError: true }),
  );
});

test("a renewal that fails as the store is away does not cost the lease", async () => {
  const { tool, repository, host, types, advance } = sleepingWorld();
  let renewals = 0;
  const renew: typeof repository.renew = (...args) => {
    renewals += 1;
    if (renewals === 1) throw new RepositoryError("unavailable", "s", "cut off");
    repository.renew(...args);
  };
  const own = host({ repository: { ...repository, renew }, leaseMs: 30_000 });
  const turn = own.createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();

  await advance(25_000);
  tool.resolve("t1_1_0", "worked");

  await expect(turn.response).resolves.toMatchObject({ status: "completed" });
  expect([renewals, types().includes("turn_resumed")]).toEqual([2, false]);
});

test("a store that does not answer a process that slept gets no more of it", async () => {
  const { tool, repository, host, sleep, types, advance } = sleepingWorld();
  const own = host({ repository: { ...repository, renew: never } });
  own.createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();
  const before = types();

  sleep(120_000);
  tool.resolve("t1_1_0", "worked");
  await advance(60_000);

  expect(types()).toEqual(before);
});

test("one renewal may fail without another host taking the session", async () => {
  const { tool, repository, host, types, advance } = sleepingWorld();
  let renewals = 0;
  const renew: typeof repository.renew = (...args) => {
    renewals += 1;
    if (renewals === 1) throw new RepositoryError("unavailable", "s", "cut off");
    repository.renew(...args);
  };
  const own = host({ leaseMs: 30_000, repository: { ...repository, renew } });
  const turn = own.createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await tool.whenStarted();

  await advance(31_000);
  await host({ owner: "other" }).claimDue();
  tool.resolve("t1_1_0", "worked");

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  expect(types()).not.toContain("turn_resumed");
});

test("an owner whose append took longer than its lease does not run the tool", async () => {
  const { tool, repository, host, sleep, types, advance } = sleepingWorld();
  const answered = Promise.withResolvers<void>();
  const append = (...args: Parameters<typeof repository.append>) => {
    const appended = repository.append(...args);
    const isIntent = args[1].some(({ type }) => type === "tool_intent");
    return isIntent ? answered.promise.then(() => appended) : appended;
  };
  // Deaf: wake-ups would tell it of the other host before its append is answered.
  const own = host({ repository: { ...repository, append, subscribe: () => () => {} } });
  own.createSession({ agent: "helper", id: "s" }).send("Hi", { id: "t1" });
  await advance(0);

  sleep(120_000);
  await host({ owner: "other" }).claimDue();
  await advance(0);
  answered.resolve();
  await advance(0);

  expect(types()).toEqual(expect.arrayContaining(["tool_intent", "turn_resumed", "tool_result"]));
  expect(tool.started).toEqual([]);
});
