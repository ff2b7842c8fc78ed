import { RepositoryError } from "@capstan/log";
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  echoTool,
  remoteTool,
  say,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

const leaseMs = 30_000;

test("a turn whose process is killed goes on in another with everything that it had done", async () => {
  const tool = echoTool({ effect: "pure" });
  const world = createWorld([callTool("echo", { n: 1 }), stall(), say("Done")], [tool]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  process.die();

  const other = world.host();
  await world.clock.advance(leaseMs + 2_000);

  const elsewhere = await other.open(session.id);
  expect(tool.started).toHaveLength(1);
  expect(elsewhere.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(world.entries(session.id).filter((entry) => entry.type === "turn_ended")).toMatchObject([
    { turnId: "t1" },
  ]);
});

test("the attempt that a crash cut off is shown as discarded, and counts as one that reported nothing", async () => {
  const world = createWorld([stall(), say("Done")]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);
  process.die();

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  const events = world.events(session.id).map(({ event }) => event);
  expect(events.filter((event) => event.type === "attempt_discarded")).toHaveLength(1);
  expect(elsewhere.usage).toMatchObject({ unreportedAttempts: expect.any(Number) });
  expect(elsewhere.messages).toHaveLength(2);
});

test("a tool that must not run twice is not run again after a crash, and the model is told", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("I will check")], [tool]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Pay");
  await tool.whenStarted();
  process.die();

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(tool.started).toHaveLength(1);
  expect(elsewhere.messages[2]).toMatchObject({
    isError: true,
    content: expect.stringContaining("outcome is unknown"),
  });
  assertValidTranscript(elsewhere.messages);
});

test("a crash between the intent and the run does not lose an idempotent call", async () => {
  const tool = echoTool({ effect: "idempotent" });
  const world = createWorld([callTool("echo", { n: 1 }), say("Done")], [tool]);
  const process = mortal(world.repository);
  process.dieAfter("tool_intent");
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Pay");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(tool.started).toHaveLength(1);
  expect(elsewhere.messages[2]).toMatchObject({ isError: false, content: '{"n":1}' });
});

test("of two writers the one with the older lease is refused, and follows the other", async () => {
  const runs: PromiseWithResolvers<string>[] = [];
  const tool = remoteTool({ name: "slow", effect: "idempotent" });
  tool.execute = () => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  };
  const world = createWorld([callTool("slow"), say("Done")], [tool]);
  const paused = mortal(world.repository);
  paused.repository.renew = () => new Promise(() => {});
  const host = world.host({ repository: paused.repository, pollMs: Infinity });
  const session = host.createSession({ agent: "helper" });
  const turn = session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  const early = world.repository.acquire(session.id, "other", leaseMs);
  await world.clock.advance(leaseMs + 1);

  const other = world.host();
  await other.claimDue();
  await world.clock.advance(0);
  runs[0]?.resolve("of the first");
  await world.clock.advance(0);
  const between = world.entries(session.id).filter((entry) => entry.type === "tool_result");
  runs[1]?.resolve("of the second");

  expect(early).toBeUndefined();
  expect(between).toEqual([]);
  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  expect(session.messages[2]).toMatchObject({ content: "of the second" });
});

test("a process that was held up until its lease had run out asks no model with what it knew before", async () => {
  const key = Promise.withResolvers<string>();
  const deadlines = { callbackMs: Infinity };
  const world = createWorld([say("Done")], [], { getApiKey: () => key.promise, deadlines });
  const paused = mortal(world.repository);
  paused.repository.renew = () => new Promise(() => {});
  const host = world.host({ repository: paused.repository, pollMs: Infinity });
  const session = host.createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(leaseMs + 1);

  key.resolve("a key");
  await world.clock.advance(0);

  expect(world.entries(session.id).map(({ type }) => type)).toContain("attempt");
  expect(world.provider.requests).toEqual([]);
});

test("a cancel that was acknowledged stays one after a crash", async () => {
  const world = createWorld([stall(), say("Not this")]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  process.die();
  const elsewhere = await world.host({ pollMs: Infinity }).open(session.id);

  await elsewhere.abort("enough");
  await world.clock.advance(leaseMs + 1);
  await world.host().claimDue();
  await world.clock.advance(0);

  expect(world.entries(session.id).at(-1)).toMatchObject({
    type: "turn_ended",
    finishReason: "aborted",
  });
  expect(world.provider.requests).toHaveLength(1);
});

test("an input whose poster died before it could claim is run by whoever finds it", async () => {
  const world = createWorld([say("One"), say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("First").response;
  await session.waitForIdle();
  const process = mortal(world.repository);
  const other = await world
    .host({ repository: process.repository, pollMs: Infinity })
    .open(session.id);
  const post = process.repository.post;
  // A store that cannot claim the session with a post.
  process.repository.post = (id, entry) => {
    const posted = post(id, entry);
    process.die();
    return posted;
  };
  other.send("Second", { id: "t2" });

  await world.clock.advance(2_000);

  expect(world.entries(session.id).at(-1)).toMatchObject({ type: "turn_ended", turnId: "t2" });
  expect(session.messages).toHaveLength(4);
});

test("a host opens a session with an unfinished turn and refuses a send until it is over", async () => {
  const world = createWorld([stall(), say("Done")]);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello", { id: "t1" });
  await world.clock.advance(0);
  process.die();

  const elsewhere = await world.host().open(session.id);
  const current = elsewhere.current;
  const refused = await elsewhere.send("Again").response;
  await world.clock.advance(leaseMs + 2_000);

  expect(current?.id).toBe("t1");
  expect(refused).toMatchObject({ error: { code: "turn_unfinished" } });
  await expect(current?.response).resolves.toMatchObject({ text: "Done" });
});

test("a store that fails in the middle stops the turn, and it goes on when the store is back", async () => {
  const world = createWorld(
    [callTool("echo"), say("Not shown"), say("Done")],
    [echoTool({ effect: "pure" })],
  );
  const { append } = world.repository;
  let appends = 0;
  world.repository.append = (id, entries, options) => {
    appends += 1;
    if (appends === 4) throw new RepositoryError("unavailable", id, "The disk is full");
    return append(id, entries, options);
  };
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");

  await world.clock.advance(2_000);

  await expect(turn.response).resolves.toMatchObject({ status: "completed" });
  assertValidTranscript(session.messages);
});

test("a send that the store refuses is a typed error, and sending it again with its id is safe", async () => {
  const world = createWorld([say("Done")]);
  const { post } = world.repository;
  let isFull = true;
  world.repository.post = (id, entry) => {
    if (isFull) throw new RepositoryError("unavailable", id, "The disk is full");
    return post(id, entry);
  };
  const session = world.host().createSession({ agent: "helper" });

  const failed = await session.send("Hello", { id: "t1" }).response;
  isFull = false;
  const again = await session.send("Hello", { id: "t1" }).response;

  expect(failed).toMatchObject({
    status: "error",
    error: { code: "unavailable", message: "The disk is full" },
  });
  expect(again).toMatchObject({ status: "completed", text: "Done" });
});

test("a session whose log cannot be read is set aside with a typed error, and stays as it is", async () => {
  const world = createWorld([say("Done")]);
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Hello").response;
  await session.waitForIdle();
  // A corrupt entry, as nothing in this program would write it.
  world.repository.post(session.id, { v: 1, id: "x", at: 0, type: "steer" } as never);

  const other = world.host();
  await other.claimDue();
  await world.clock.advance(0);

  await expect(other.open(session.id)).rejects.toMatchObject({ code: "corrupt_entry", seq: 9 });
  expect(world.repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
  expect(world.repository.list().sessions[0]?.head.status).toBe("error");
});
