import { callTool, deferredTool, failBefore, say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

test("steering reaches the model with the results of the step, once", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Indoors, then")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Go out");
  const [call] = await tool.whenStarted();

  const receipt = await session.steer("Only indoors");
  tool.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;

  await expect(receipt.outcome).resolves.toEqual({ type: "delivered", turnId: turn.id });
  expect(session.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
  ]);
  expect(session.messages[3]).toMatchObject({ id: receipt.id, content: "Only indoors" });
});

test("steering that came too late for the turn starts the next one", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("One")], say("Two")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("First");

  const receipt = await session.steer("Second");
  open.resolve();
  await session.waitForIdle();

  await expect(turn.response).resolves.toMatchObject({ text: "One" });
  await expect(receipt.outcome).resolves.toEqual({ type: "delivered", turnId: receipt.id });
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Two" }] });
});

test("steering and follow-ups at rest start a turn", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host().createSession({ agent: "helper" });

  await session.steer("First");
  await session.waitForIdle();
  await session.followUp("Second");
  await session.waitForIdle();

  expect(world.entries(session.id).filter((entry) => entry.type === "turn_ended")).toHaveLength(2);
});

test("each follow-up is a turn of its own, in the order in which they came", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("One")], say("Two"), say("Three")]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("First");
  const second = await session.followUp("Second");
  const third = await session.followUp("Third");

  open.resolve();
  await session.waitForIdle();

  const started = world.entries(session.id).filter((entry) => entry.type === "turn_started");
  expect(started.map((entry) => entry.input)).toEqual([
    [expect.any(String)],
    [second.id],
    [third.id],
  ]);
});

test("with the mode all, waiting follow-ups are one turn", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), say("One")], say("Both")]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("First");
  const second = await session.followUp("Second");
  const third = await session.followUp("Third");
  await session.configure({ followUpMode: "all" });

  open.resolve();
  await session.waitForIdle();

  const started = world.entries(session.id).filter((entry) => entry.type === "turn_started");
  expect(started.at(-1)?.input).toEqual([second.id, third.id]);
});

test("what was queued for a turn that was aborted waits for the next send", async () => {
  const tool = deferredTool({ settlesOnAbort: true });
  const world = createWorld([callTool("deferred"), say("Two"), say("Three")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("First");
  await tool.whenStarted();
  const receipt = await session.followUp("Later");

  await session.abort();
  await session.waitForIdle();
  const before = session.messages.length;
  await session.send("Second").response;
  await session.waitForIdle();

  expect(before).toBe(4);
  await expect(receipt.outcome).resolves.toEqual({ type: "delivered", turnId: receipt.id });
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Three" }] });
});

test("what was queued for a turn that failed waits for the next send", async () => {
  const open = Promise.withResolvers<void>();
  const world = createWorld([[wait(open.promise), failBefore("auth")], say("Two"), say("Three")]);
  const session = world.host().createSession({ agent: "helper" });
  session.send("First");
  await session.followUp("Later");

  open.resolve();
  await session.waitForIdle();

  expect(session).toMatchObject({ status: "error" });
  expect(session.messages).toHaveLength(1);
});

test("the same steering id twice is one message", async () => {
  const world = createWorld([say("One")]);
  const session = world.host().createSession({ agent: "helper" });

  const [first, second] = [
    await session.steer("First", { id: "s1" }),
    await session.steer("First", { id: "s1" }),
  ];
  await session.waitForIdle();

  await expect(second.outcome).resolves.toEqual(await first.outcome);
  expect(session.messages).toHaveLength(2);
});

test("queued items that were asked back are returned, and say so", async () => {
  const tool = deferredTool();
  const world = createWorld([callTool("deferred"), say("Done")], [tool]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("First");
  const [call] = await tool.whenStarted();
  const receipt = await session.steer("Never mind");

  const cleared = session.clearQueue();
  await world.clock.advance(0);
  tool.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;
  await session.waitForIdle();

  await expect(cleared).resolves.toEqual([receipt.id]);
  await expect(receipt.outcome).resolves.toEqual({ type: "returned", reason: "cleared" });
  expect(session.queued).toEqual([]);
  expect(world.events(session.id).map(({ event }) => event.type)).toContain("steering_returned");
  expect(session.messages).toHaveLength(4);
});

test("a text that is empty is refused", async () => {
  const session = createWorld([]).host().createSession({ agent: "helper" });

  await expect(session.steer(" ")).rejects.toMatchObject({ code: "invalid_input" });
});

test("a message that was queued is delivered exactly once, though its process died before the turn", async () => {
  const world = createWorld([say("One"), say("Two")]);
  const session = world.host({ pollMs: Infinity }).createSession({ agent: "helper" });
  const message = { role: "user", id: "s1", content: "Hello" } as const;
  await session.steer("First");
  await session.waitForIdle();
  world.repository.post(session.id, { v: 1, id: "s1", at: 0, type: "follow_up", message });

  const other = world.host();
  await other.claimDue();
  await world.clock.advance(0);

  const elsewhere = await other.open(session.id);
  expect(elsewhere.messages.filter((each) => each.id === "s1")).toHaveLength(1);
  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Two" }] });
});

test("a session whose queue was cleared at rest is not due any more", async () => {
  const world = createWorld([failBefore("auth")]);
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Hello");
  await session.followUp("Later");
  await turn.response;

  await session.clearQueue();
  await session.waitForIdle();

  expect(world.repository.claimDue({ agents: ["helper"], owner: "other", ttlMs: 1 })).toEqual([]);
});
