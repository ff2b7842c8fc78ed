import type { Session } from "@capstan/core";
import { callTool, deferredTool, remoteTool, say, stall, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const leaseMs = 30_000;

/** Runs a turn in a process that is killed, and lets its lease expire. */
async function interrupted(world: World): Promise<string> {
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  process.die();
  await world.clock.advance(leaseMs + 1);
  return session.id;
}

function inputsOf(world: World, session: Session): string[] {
  return world.entries(session.id).flatMap(({ type, id }) => (type === "input" ? [id] : []));
}

test("a send after open waits for the turn that open resumed, and nothing is posted before", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([stall(), [wait(open.promise), say("One")], say("Two")]);
  const session = await world.host().open(await interrupted(world));

  const turn = session.send("And now?", { id: "t2" });
  await world.clock.advance(1_000);
  const before = inputsOf(world, session);
  open.resolve();

  expect(await turn.response).toMatchObject({ status: "completed", text: "Two" });
  expect(before).toEqual(["t1"]);
  expect(session.messages).toHaveLength(4);
});

test("the same holds if the host found the session by itself, before it was opened", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([stall(), [wait(open.promise), say("One")], say("Two")]);
  const id = await interrupted(world);
  const host = world.host();
  await host.claimDue();
  await world.clock.advance(0);

  const session = await host.open(id);
  const turn = session.send("And now?");
  open.resolve();

  expect(await turn.response).toMatchObject({ status: "completed", text: "Two" });
});

test("the wait counts as sending for flush and waitForIdle", async () => {
  const world = createWorld([stall(), say("One"), say("Two")]);
  const session = await world.host().session(await interrupted(world), { agent: "helper" });

  session.send("And now?", { id: "t2" });
  await session.flush();
  const posted = inputsOf(world, session);
  await session.waitForIdle();

  expect(posted).toEqual(["t1", "t2"]);
  expect(session.messages).toHaveLength(4);
});

test("a signal ends the wait, and the response tells that nothing was sent", async () => {
  const world = createWorld([stall(), stall()]);
  const session = await world.host().open(await interrupted(world));
  const controller = new AbortController();

  const turn = session.send("And now?", { signal: controller.signal });
  await world.clock.advance(0);
  controller.abort();

  expect(await turn.response).toMatchObject({ status: "aborted", error: { code: "not_sent" } });
  expect(inputsOf(world, session)).toEqual(["t1"]);
  expect(session.status).toBe("running");
});

test("abort of the session stops the resumed turn, and the waiting send is sent", async () => {
  const world = createWorld([stall(), stall(), say("Two")]);
  const session = await world.host().open(await interrupted(world));
  const turn = session.send("And now?");
  await world.clock.advance(0);

  await session.abort();

  expect(await turn.response).toMatchObject({ status: "completed", text: "Two" });
});

test("the id of the resumed turn, sent again, is that turn, and can be aborted", async () => {
  const world = createWorld([stall(), stall()]);
  const session = await world.host().open(await interrupted(world));
  const turn = session.send("Hello", { id: "t1" });
  await world.clock.advance(0);

  await session.abort();

  expect(await turn.response).toMatchObject({ status: "aborted" });
  expect((await turn.response).error).toBeUndefined();
  expect(session.status).toBe("completed");
});

test("a send that waits fails if the host is closed", async () => {
  const world = createWorld([stall(), stall()]);
  const host = world.host();
  const session = await host.open(await interrupted(world));
  const turn = session.send("And now?");
  await world.clock.advance(0);

  await host.close();

  expect(await turn.response).toMatchObject({ status: "error", error: { code: "host_closed" } });
});

test("if the resumed turn comes to rest with pending calls, ifPending decides", async () => {
  const script = [stall(), callTool("remote"), say("Two")];
  const world = createWorld(script, [remoteTool()]);
  const session = await world.host().open(await interrupted(world));

  const refused = await session.send("And now?").response;
  const sent = await session.send("And now?", { ifPending: "settle" }).response;

  expect(refused).toMatchObject({ status: "error", error: { code: "calls_pending" } });
  expect(sent).toMatchObject({ status: "completed", text: "Two" });
});

test("a send during a turn that another host runs is refused", async () => {
  const world = createWorld([stall()]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  const { error } = await elsewhere.send("And now?").response;

  expect(error).toMatchObject({ code: "turn_unfinished" });
  expect(error?.message).toMatch(/waitForIdle.*current.*followUp.*abandon/);
});

test("an ordinary turn after the resumed one refuses a send again", async () => {
  const tool = deferredTool();
  const world = createWorld([stall(), say("One"), callTool("deferred")], [tool]);
  const session = await world.host().open(await interrupted(world));
  await session.waitForIdle();
  session.send("Next");
  await world.clock.advance(0);

  const { error } = await session.send("And now?").response;

  expect(error).toMatchObject({ code: "turn_unfinished" });
});
