import { invalidEntry } from "@capstan/log";
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  remoteTool,
  reply,
  say,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const leaseMs = 30_000;
const abandoned = { status: "error", error: { code: "abandoned" } };

test("a running turn is dropped at once: its deaf tool gets the signal, and no grace", async () => {
  const tool = deferredTool();
  const world = createWorld([reply(callTool("deferred"), callTool("deferred")), say("On")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await tool.whenStarted(2);

  const dropped = session.abandon("It hangs");
  await world.clock.advance(0);

  expect(await dropped).toBe(true);
  expect(await turn.response).toMatchObject({
    ...abandoned,
    error: { code: "abandoned", message: "The turn was abandoned: It hangs" },
  });
  expect(tool.aborted).toHaveLength(2);
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(session.messages.at(-1)).toMatchObject({
    isError: true,
    content: expect.stringContaining("The outcome is unknown: the turn was abandoned"),
  });
  await expectSameElsewhere(world, session);
});

test("the session can be used at once, and what the tool does later changes nothing", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Two")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("Hello");
  await tool.whenStarted(1);
  const dropped = session.abandon();
  await world.clock.advance(0);
  await dropped;

  tool.resolve(tool.started[0]?.toolCallId ?? "", "late");
  const { text } = await session.send("Next").response;

  expect(text).toBe("Two");
  expect(JSON.stringify(session.messages)).not.toContain("late");
  assertValidTranscript(session.messages);
});

test("a turn that waits for a model is dropped, and the attempt counts as one that reported nothing", async () => {
  const world = createWorld([stall()]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await world.clock.advance(0);

  await session.abandon();

  expect(await turn.response).toMatchObject(abandoned);
  expect(session.usage).toMatchObject({ unreportedAttempts: 1 });
});

test("a suspended turn is dropped, and its calls are not pending any more", async () => {
  const world = createWorld([callTool("remote")], [remoteTool()]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;

  const isDropped = await session.abandon();

  expect(isDropped).toBe(true);
  expect(session.status).toBe("error");
  expect(session.pendingToolCalls).toEqual([]);
  expect(session.messages.at(-1)).toMatchObject({
    role: "tool",
    content: "Not run: the turn was abandoned.",
  });
  expect(world.provider.requests).toHaveLength(1);
});

test("a turn that another host runs is dropped there", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await tool.whenStarted(1);

  const elsewhere = await world.host().open(session.id);
  const dropped = elsewhere.abandon();
  await world.clock.advance(0);

  expect(await dropped).toBe(true);
  expect(await turn.response).toMatchObject(abandoned);
  expect(tool.aborted).toHaveLength(1);
});

test("a turn of a process that died is ended by this one, and nothing of it runs", async () => {
  const tool = deferredTool({ effect: "idempotent" });
  const world = createWorld([callTool("deferred")], [tool]);
  const process = mortal(world.repository);
  const first = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  first.send("Hello");
  await tool.whenStarted(1);
  process.die();
  const session = await world.host({ pollMs: Infinity }).open(first.id);

  const dropped = session.abandon();
  await world.clock.advance(leaseMs + 1);
  await world.host().claimDue();
  await world.clock.advance(2_000);

  expect(await dropped).toBe(true);
  expect(tool.started).toHaveLength(1);
  expect(session.status).toBe("error");
});

test("a turn that was resumed repeatedly is dropped without waiting for its next resume", async () => {
  const world = createWorld(Array.from({ length: 6 }, () => stall()));
  const begin = world.host({ pollMs: Infinity });
  begin.createSession({ agent: "helper", id: "s" }).send("Hello");
  await world.clock.advance(0);
  await begin.close();
  for (let i = 0; i < 4; i += 1) {
    const host = world.host({ pollMs: Infinity });
    await host.claimDue();
    await world.clock.advance(61_000);
    await host.close();
  }
  const requests = world.provider.requests.length;
  const session = await world.host({ pollMs: Infinity }).open("s");

  const isDropped = await session.abandon();

  expect(isDropped).toBe(true);
  expect(world.entries("s").at(-1)).toMatchObject({ error: { code: "abandoned" } });
  expect(world.provider.requests).toHaveLength(requests);
});

test("a session that was set aside is released, and its turn dropped", async () => {
  const world = createWorld([say("Hi")]);
  const state = { isBroken: true };
  const { append } = world.repository;
  const repository = {
    ...world.repository,
    append: (...args: Parameters<typeof append>) => {
      if (args[1].length > 0 && state.isBroken) throw invalidEntry(args[0], "too large");
      return append(...args);
    },
  };
  const host = world.host({ repository, onError: () => {} });
  const session = host.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;
  state.isBroken = false;

  const isDropped = await session.abandon();

  expect(isDropped).toBe(true);
  expect(world.entries("s").at(-1)).toMatchObject({ error: { code: "abandoned" } });
  expect((await host.list()).sessions[0]?.head.setAside).toBeUndefined();
});

test("a host without the session's agent drops its turn, and returns what was taken back", async () => {
  const world = createWorld([callTool("remote"), say("Two")], [remoteTool()]);
  const first = world.host();
  const session = first.createSession({ agent: "helper", id: "s" });
  await session.send("Hello").response;
  await session.followUp("Later", { id: "f1" });
  await first.close();
  world.repository.post("s", {
    v: 1,
    id: "c1",
    at: 0,
    type: "queue_cleared",
    queue: "all",
  });

  const isDropped = await world.host({ agents: [], pollMs: Infinity }).abandon("s");

  expect(isDropped).toBe(true);
  const elsewhere = await world.host().open("s");
  expect(elsewhere.status).toBe("error");
  expect(elsewhere.queued).toEqual([]);
  expect(await elsewhere.run("Again")).toBe("Two");
});

test("host.abandon waits for a process that runs the turn", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred")], [tool]);
  const session = world.host().createSession({ agent: "helper", id: "s" });
  const turn = session.send("Hello");
  await tool.whenStarted(1);

  const dropped = world.host({ agents: [], pollMs: Infinity }).abandon("s", "It hangs");
  await world.clock.advance(1_000);

  expect(await dropped).toBe(true);
  expect(await turn.response).toMatchObject(abandoned);
});

test("without an unfinished turn there is nothing to drop", async () => {
  const world = createWorld([say("Hi")]);
  const session = world.host().createSession({ agent: "helper" });
  const beforeFirst = await session.abandon();
  await session.send("Hello").response;

  const isDropped = await session.abandon();

  expect(beforeFirst).toBe(false);
  expect(isDropped).toBe(false);
  expect(session.status).toBe("completed");
});
