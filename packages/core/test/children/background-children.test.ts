/** Children in the background: the call returns at once, and the answer comes as a message. */
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  reply,
  say,
  stall,
  usage,
} from "@capstan/testing";
import { createSession, openSession } from "@capstan/core";
import { expect, test } from "vitest";
import { mortal } from "../mortal.ts";
import { answersOf, afterCrash, family, inBackground, member, resultsOf } from "./family.ts";

const ask = (task: string) => callTool("researcher", { task });

test("the call returns at once, the turn ends, and the answer starts a turn of its own", async () => {
  const slow = deferredTool();
  const researcher = member("researcher", [callTool("deferred"), say("42")], [slow]);
  const root = member(
    "root",
    [ask("Find it"), say("It is being looked up"), say("It is 42")],
    [inBackground(researcher)],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  const first = await session.send("What is it?").response;
  const [childId = ""] = world.childrenOf(session.id);
  const [started] = await slow.whenStarted();
  const before = session.children;
  slow.resolve(started?.toolCallId ?? "", "ok");
  await session.waitForChildren();

  expect(first).toMatchObject({ status: "completed", text: "It is being looked up" });
  expect(resultsOf(session)[0]).toContain(`as child ${childId}`);
  expect(before).toMatchObject([{ sessionId: childId, mode: "background", state: "working" }]);
  expect(answersOf(session)).toEqual([
    `[Background: the agent "researcher" (child ${childId}) has ended. Its answer follows. The user did not write this message.]\n\n42`,
  ]);
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "It is 42" }] });
  expect(session.children).toMatchObject([{ state: "ended" }]);
  assertValidTranscript(session.messages);
});

test("an answer that comes during a turn is delivered after the next results, like steering", async () => {
  const own = deferredTool();
  const researcher = member("researcher", [say("42")]);
  const root = member(
    "root",
    [reply(ask("Find it"), callTool("deferred")), say("It is 42")],
    [inBackground(researcher), own],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("What is it?");
  const [started] = await own.whenStarted();
  await world.clock.advance(0);

  own.resolve(started?.toolCallId ?? "", "ok");
  const response = await turn.response;

  expect(response).toMatchObject({ status: "completed", text: "It is 42" });
  expect(session.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "tool",
    "tool",
    "user",
    "assistant",
  ]);
  expect(world.entries(session.id).filter(({ type }) => type === "turn_started")).toHaveLength(1);
});

test("start and end are events, also between two turns, and the usage counts once", async () => {
  const slow = deferredTool();
  const script = [callTool("deferred"), reply(say("42"), usage({ inputTokens: 5 }))];
  const researcher = member("researcher", script, [slow]);
  const root = member("root", [ask("Go"), say("Wait"), say("Done")], [inBackground(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const seen: unknown[] = [];
  session.subscribe((event) => {
    if (event.type === "child_started") seen.push(event.mode);
    if (event.type === "child_ended") seen.push(event.outcome);
  });

  await session.send("Go").response;
  const [started] = await slow.whenStarted();
  slow.resolve(started?.toolCallId ?? "", "ok");
  await session.waitForChildren();

  expect(seen).toEqual(["background", "answered"]);
  expect(session.usage).toMatchObject({ inputTokens: 5 });
});

test("the answers of several children reach the model together", async () => {
  const slow = deferredTool();
  const researcher = member(
    "researcher",
    [callTool("deferred"), callTool("deferred"), say("one"), say("two")],
    [slow],
  );
  const busy = deferredTool({ name: "busy" });
  const root = member(
    "root",
    [reply(ask("A"), ask("B"), callTool("busy")), say("Both")],
    [inBackground(researcher), busy],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  for (const { toolCallId } of await slow.whenStarted(2)) slow.resolve(toolCallId, "ok");
  await world.clock.advance(0);
  const [own] = await busy.whenStarted();
  busy.resolve(own?.toolCallId ?? "", "ok");

  const response = await turn.response;

  expect(response.text).toBe("Both");
  expect(answersOf(session)).toHaveLength(2);
});

test("a child without an answer says why", async () => {
  const researcher = member("researcher", []);
  const root = member("root", [ask("Go"), say("Wait"), say("Sorry")], [inBackground(researcher)]);
  const session = family(root).host().createSession({ agent: "root" });

  await session.send("Go").response;
  await session.waitForChildren();

  expect(answersOf(session)[0]).toContain("has ended without an answer");
  expect(answersOf(session)[0]).toContain('The agent "researcher" gave no answer');
});

test.each(["the parent is idle", "the parent works"])(
  "after a crash while %s, the answer arrives once",
  async (when) => {
    const researcher = member("researcher", [stall(), say("42")]);
    const parent = when === "the parent is idle" ? [ask("Go"), say("Wait")] : [ask("Go"), stall()];
    const root = member("root", [...parent, say("More"), say("More")], [inBackground(researcher)]);
    const world = family(root);

    const elsewhere = await afterCrash(world);

    expect(answersOf(elsewhere)).toHaveLength(1);
    expect(world.childrenOf(elsewhere.id)).toHaveLength(1);
    expect(world.entries(elsewhere.id).filter(({ type }) => type === "child_ended")).toHaveLength(
      1,
    );
    assertValidTranscript(elsewhere.messages);
  },
);

test("a session with its own host continues the child after a crash", async () => {
  const researcher = member("researcher", [stall(), say("42")]);
  const root = member("root", [ask("Go"), say("Wait"), say("Done")], [inBackground(researcher)]);
  const world = family(root);
  const process = mortal(world.repository);
  const { clock } = world;
  const session = createSession({ id: "s", agent: root, repository: process.repository, clock });
  session.send("Go");
  await clock.advance(0);
  process.die();

  const elsewhere = await openSession({
    id: "s",
    agent: root,
    repository: world.repository,
    clock,
  });
  await clock.advance(80_000);

  expect(answersOf(elsewhere)).toHaveLength(1);
  await elsewhere.close();
});

test("a turn without a session waits for the child, because its answer could not come later", async () => {
  const researcher = member("researcher", [say("42")]);
  const root = member("root", [ask("Go"), say("It is 42")], [inBackground(researcher)]);

  const response = await root.runTurn({ input: "Go" }).response;

  expect(response.messages.find(({ role }) => role === "tool")).toMatchObject({ content: "42" });
});

test("a child that remembers takes one task at a time", async () => {
  const slow = deferredTool();
  const researcher = member("researcher", [callTool("deferred"), say("one"), say("two")], [slow]);
  const root = member(
    "root",
    [ask("First"), ask("Second"), say("Wait"), ask("Third"), say("Wait"), say("Done")],
    [inBackground(researcher, { memory: "session" })],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  const [started] = await slow.whenStarted();
  slow.resolve(started?.toolCallId ?? "", "ok");

  await session.waitForChildren();

  expect(resultsOf(session)[1]).toContain("still works on an earlier task");
  expect(new Set(world.childrenOf(session.id)).size).toBe(1);
  expect(answersOf(session)).toHaveLength(2);
});

test("a child that runs out of time is stopped, and its message says so", async () => {
  const slow = deferredTool({ settlesOnAbort: true });
  const researcher = member("researcher", [callTool("deferred"), say("Late")], [slow]);
  const root = member(
    "root",
    [ask("Go"), say("Wait"), say("Too late")],
    [inBackground(researcher, { timeoutMs: 60_000 })],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  await slow.whenStarted();

  await world.clock.advance(70_000);
  await session.waitForChildren();

  expect(slow.aborted).toHaveLength(1);
  expect(world.entries(session.id).findLast(({ type }) => type === "child_ended")).toMatchObject({
    outcome: "stopped",
    reason: "out-of-time",
  });
  expect(answersOf(session)[0]).toContain("it was stopped (out of time)");
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Too late" }] });
});
