/** Failures that no caller would hear of: each reaches `onError`, and no turn waits for ever. */
import { createAgent, createSession } from "@capstan/core";
import type { HostFault, OnFault } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { RepositoryError, memoryRepository } from "@capstan/log";
import {
  callTool,
  checkTranscript,
  echoTool,
  failBefore,
  manualClock,
  say,
  scriptedProvider,
} from "@capstan/testing";
import { expect, test, vi } from "vitest";
import { createWorld } from "./world.ts";

function bug(): never {
  throw new TypeError("query is not a function");
}

function away(): never {
  throw new RepositoryError("unavailable", "s", "the disk is full");
}

/** A store whose appends fail so, as long as `isBroken` says. */
function broken(store: SessionRepository, fail: () => never, isBroken: () => boolean) {
  const append: SessionRepository["append"] = (...args) =>
    isBroken() ? fail() : store.append(...args);
  return { ...store, append };
}

function listOfFaults() {
  const faults: HostFault[] = [];
  const onError: OnFault = (fault) => faults.push(fault);
  return { faults, onError };
}

test("a store with a bug in its append ends the turn, and is reported", async () => {
  const { faults, onError } = listOfFaults();
  const repository = broken(memoryRepository(), bug, () => true);
  const agent = createAgent({ model: scriptedProvider([say("Hi")]) });
  const session = createSession({ agent, repository, onError });

  const response = await session.send("Hello").response;

  expect(response).toMatchObject({ status: "error", error: { code: "engine_failed" } });
  expect(response.error?.message).toContain("query is not a function");
  expect(faults[0]).toMatchObject({
    where: "engine",
    error: new TypeError("query is not a function"),
  });
  await session.close();
});

test("what cannot be recorded is not tried again at every poll", async () => {
  const { onError } = listOfFaults();
  const clock = manualClock();
  let appends = 0;
  const fail = (): never => {
    appends += 1;
    return bug();
  };
  const repository = broken(memoryRepository({ now: clock.now }), fail, () => true);
  const agent = createAgent({ model: scriptedProvider([say("Hi")]) });
  const session = createSession({ agent, repository, onError, clock });
  await session.send("Hello").response;
  const before = appends;

  // Nine polls, within the lease.
  await clock.advance(9_000);

  expect(appends).toBe(before);
  await session.close();
});

test("a reply that the store cannot record ends the turn in the log, and the session goes on", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([callTool("echo", { text: "x" }), say("Second")], [echoTool()]);
  let isBroken = false;
  const repository = broken(world.repository, bug, () => isBroken);
  const tool = { ...echoTool(), execute: () => ((isBroken = true), "ran") };
  const agent = world.agent.with({ tools: [tool] });
  const onFault: OnFault = (fault) => {
    isBroken = false;
    onError(fault);
  };
  const host = world.host({ agents: [agent], repository, onError: onFault });
  const session = host.createSession({ agent: "helper", id: "s" });

  const first = await session.send("One").response;
  const second = await session.send("Two").response;

  expect(first).toMatchObject({ status: "error", error: { code: "engine_failed" } });
  expect(second).toMatchObject({ status: "completed", text: "Second" });
  expect(checkTranscript(session.messages)).toEqual([]);
  expect(session.messages.find(({ role }) => role === "tool")).toMatchObject({ isError: true });
  expect(faults.map(({ where }) => where)).toEqual(["engine"]);
  const { messages } = await world.host().open("s");
  expect(messages).toEqual(session.messages);
});

test("a store that is away is reported once, and the turn goes on when it is back", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([say("Hi"), say("Hi")]);
  let isAway = true;
  const repository = broken(world.repository, away, () => isAway);
  const host = world.host({ repository, onError });
  const turn = host.createSession({ agent: "helper", id: "s" }).send("Hello");
  await world.clock.advance(5_000);
  const reported = faults.map(({ where, sessionId }) => [where, sessionId]);

  isAway = false;
  await world.clock.advance(60_000);

  expect(reported).toEqual([["store", "s"]]);
  await expect(turn.response).resolves.toMatchObject({ status: "completed" });
});

test("a search for due sessions that fails is reported once for each outage", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([]);
  const repository = { ...world.repository, claimDue: bug };
  world.host({ repository, onError });

  await world.clock.advance(5_000);

  expect(faults.map(({ where }) => where)).toEqual(["claim"]);
});

test("a listener that throws with every event is reported once, and the turn goes on", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([say("Hi")]);
  const session = world.host({ onError }).createSession({ agent: "helper", id: "s" });
  session.subscribe(() => bug());

  const response = await session.send("Hello").response;

  expect(response.status).toBe("completed");
  expect(faults).toMatchObject([
    { where: "listener", sessionId: "s", error: { name: "TypeError" } },
  ]);
});

test.each(["before", "after"])("a hook %s a call that throws is reported", async (hook) => {
  const { faults, onError } = listOfFaults();
  const script = [callTool("echo", { text: "x" }), say("Done")];
  const world = createWorld(script, [echoTool()], { hooks: { [hook]: () => bug() } });

  const turn = world.host({ onError }).createSession({ agent: "helper" }).send("Hi", { id: "t1" });
  const { status } = await turn.response;

  expect(status).toBe("completed");
  expect(faults).toMatchObject([{ where: "hook", turnId: "t1", error: { name: "TypeError" } }]);
});

test("a failed turn whose error was not looked at is reported", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([failBefore("overloaded")]);
  const session = world.host({ onError }).createSession({ agent: "helper", id: "s" });

  session.send("Hello", { id: "t1" });
  await session.waitForIdle();
  await world.clock.advance(0);

  expect(faults).toMatchObject([{ where: "turn", sessionId: "s", turnId: "t1" }]);
});

test.each<[string, (world: ReturnType<typeof createWorld>, onError: OnFault) => Promise<unknown>]>([
  [
    "response",
    async (world, onError) =>
      world.host({ onError }).createSession({ agent: "helper" }).send("Hello").response,
  ],
  [
    "events",
    async (world, onError) =>
      Array.fromAsync(world.host({ onError }).createSession({ agent: "helper" }).send("Hello")),
  ],
  [
    "session's events",
    async (world, onError) => {
      const session = world.host({ onError }).createSession({ agent: "helper" });
      session.subscribe(() => {});
      session.send("Hello");
      await session.waitForIdle();
    },
  ],
])("a failed turn whose %s were looked at is not reported", async (_, look) => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([failBefore("overloaded")]);

  await look(world, onError);
  await world.clock.advance(0);

  expect(faults).toEqual([]);
});

test("a turn that never began is reported, if its response was not looked at", async () => {
  const { faults, onError } = listOfFaults();
  const world = createWorld([]);
  const session = world.host({ onError }).createSession({ agent: "helper", id: "s" });

  session.send({ role: "user", content: 5 } as never);
  await world.clock.advance(0);

  expect(faults).toMatchObject([{ where: "turn", error: { code: "invalid_input" } }]);
});

test("an onError that throws or rejects harms nothing", async () => {
  const world = createWorld([say("Hi")]);
  let calls = 0;
  const onError = (): void => {
    calls += 1;
    return (calls === 1 ? bug() : Promise.reject(new Error("late"))) as never;
  };
  const session = world.host({ onError }).createSession({ agent: "helper" });
  session.subscribe(() => bug());
  session.subscribe(() => bug());

  const response = await session.send("Hello").response;

  expect([response.status, calls]).toEqual(["completed", 2]);
});

test("without onError the agent's logger is told", async () => {
  const lines: unknown[] = [];
  const span = { setAttributes: () => {}, end: () => {} };
  const logger = {
    log: (level: string, message: string) => void lines.push([level, message]),
    startSpan: () => span,
  };
  const world = createWorld([say("Hi")], [], { logger });
  const session = world.host().createSession({ agent: "helper", id: "s" });
  session.subscribe(() => bug());

  await session.send("Hello").response;

  expect(lines).toEqual([["error", "A session's listener threw: query is not a function"]]);
});

test("without a logger each cause is one warning", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const world = createWorld([say("Hi"), say("Hi")]);
  const host = world.host();
  const sessions = ["a", "b"].map((id) => host.createSession({ agent: "helper", id }));
  for (const session of sessions) session.subscribe(() => bug());

  await Promise.all(sessions.map((session) => session.send("Hello").response));

  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
