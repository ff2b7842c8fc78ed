/** Agents as tools: each call is the work of a child session. */
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  echoTool,
  reply,
  say,
  stall,
  usage,
} from "@capstan/testing";
import { guardTool } from "@capstan/core";
import { expect, test } from "vitest";
import { asTool, afterCrash, family, member, resultsOf } from "./family.ts";

const ask = (task: string) => callTool("researcher", { task });

test("a call of an agent is the work of a child session with a log of its own", async () => {
  const researcher = member("researcher", [reply(say("42"), usage({ inputTokens: 5 }))]);
  const root = member("root", [ask("Find it"), say("It is 42")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root", principal: "ada" });

  const response = await session.send("What is it?").response;

  const [childId = ""] = world.childrenOf(session.id);
  expect(response).toMatchObject({ status: "completed", text: "It is 42" });
  expect(resultsOf(session)).toEqual(["42"]);
  expect(world.entries(childId)[0]).toMatchObject({
    type: "created",
    agent: "researcher",
    principal: "ada",
    parent: { sessionId: session.id, agent: "root", depth: 1 },
  });
  expect(world.entries(childId).find(({ type }) => type === "input")).toMatchObject({
    messages: [{ content: "Find it" }],
  });
  // Counted once in the parent, with its own attempts.
  expect(session.usage).toMatchObject({ inputTokens: 5 });
  assertValidTranscript(session.messages);
});

test("the start and the end of a child are events of its parent, and its own events are not", async () => {
  const researcher = member("researcher", [say("42")]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const session = family(root).host().createSession({ agent: "root" });
  const seen: string[] = [];
  const turn = session.send("Go");

  for await (const event of turn) {
    seen.push(event.type === "tool_execution_delta" ? `delta ${event.delta}` : event.type);
  }

  expect(seen.filter((type) => type.startsWith("child_"))).toEqual([
    "child_started",
    "child_ended",
  ]);
  expect(seen).toContain("delta 42");
  expect(seen.filter((type) => type === "turn_start")).toHaveLength(1);
});

test("text that a child says without a pause is one piece of progress", async () => {
  const researcher = member("researcher", [say(["for", "ty ", "two"])]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const session = family(root).host().createSession({ agent: "root" });

  const events = await Array.fromAsync(session.send("Go"));

  expect(events.filter(({ type }) => type === "tool_execution_delta")).toMatchObject([
    { delta: "forty two" },
  ]);
});

test("text of a child that pauses is progress before the child says more", async () => {
  const researcher = member("researcher", [reply(say("Looking"), stall())]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const progress: string[] = [];
  session.subscribe((event) => {
    if (event.type === "tool_execution_delta") progress.push(event.delta);
  });
  const turn = session.send("Go");
  await world.clock.advance(0);
  expect(progress).toEqual([]);

  await world.clock.advance(50);

  expect(progress).toEqual(["Looking"]);
  turn.abort();
});

test("children of one step work at the same time", async () => {
  const slow = deferredTool();
  const researcher = member(
    "researcher",
    [callTool("deferred"), callTool("deferred"), say("one"), say("two")],
    [slow],
  );
  const both = reply(ask("A"), ask("B"));
  const root = member("root", [both, say("Done")], [asTool(researcher)]);
  const session = family(root).host().createSession({ agent: "root" });
  const turn = session.send("Go");

  const started = await slow.whenStarted(2);
  for (const { toolCallId } of started) slow.resolve(toolCallId, "ok");
  await turn.response;

  expect(resultsOf(session).toSorted()).toEqual(["one", "two"]);
});

test("a guarded copy of such a tool is still an agent", async () => {
  const researcher = member("researcher", [say("42")]);
  const guarded = guardTool(asTool(researcher), () => undefined);
  const world = family(member("root", [ask("Find it"), say("It is 42")], [guarded]));
  const session = world.host().createSession({ agent: "root" });

  await session.send("What is it?").response;

  expect(world.childrenOf(session.id)).toHaveLength(1);
  expect(resultsOf(session)).toEqual(["42"]);
});

test("a child without an answer is an error result that says why", async () => {
  const researcher = member("researcher", [], []);
  const root = member("root", [ask("Find it"), say("Sorry")], [asTool(researcher)]);
  const session = family(root).host().createSession({ agent: "root" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ status: "completed", text: "Sorry" });
  expect(resultsOf(session)[0]).toContain('The agent "researcher" gave no answer');
});

test("a child that remembers continues its conversation with the next call", async () => {
  const researcher = member("researcher", [say("one"), say("two")]);
  const script = [ask("First"), ask("Second"), say("Done")];
  const root = member("root", script, [asTool(researcher, "session")]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  const ids = new Set(world.childrenOf(session.id));
  expect(ids.size).toBe(1);
  const [childId = ""] = ids;
  const child = await world.host().open(childId);
  expect(child.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  expect(resultsOf(session)).toEqual(["one", "two"]);
});

test("an abort of the parent stops the child", async () => {
  const slow = deferredTool({ settlesOnAbort: true });
  const researcher = member("researcher", [callTool("deferred"), say("Late")], [slow]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  await slow.whenStarted();

  await session.abort("Enough");
  await turn.response;
  await session.waitForIdle();

  const [childId = ""] = world.childrenOf(session.id);
  const child = await world.host().open(childId);
  await child.waitForIdle();
  expect(slow.aborted).toHaveLength(1);
  expect(world.entries(childId).findLast(({ type }) => type === "turn_ended")).toMatchObject({
    finishReason: "aborted",
  });
  expect(world.entries(session.id).findLast(({ type }) => type === "child_ended")).toMatchObject({
    outcome: "stopped",
  });
});

test("deletion of a parent deletes its children, and their children", async () => {
  const helper = member("helper", [say("deep")]);
  const researcher = member(
    "researcher",
    [callTool("helper", { task: "?" }), say("42")],
    [asTool(helper)],
  );
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const host = world.host();
  const session = host.createSession({ agent: "root" });
  await session.send("Go").response;
  const [childId = ""] = world.childrenOf(session.id);
  const [grandchildId = ""] = world.childrenOf(childId);

  await host.delete(session.id);

  expect((await host.list()).sessions).toEqual([]);
  expect(grandchildId).not.toBe("");
});

test.each(["the parent", "the child"])(
  "after a crash of both processes while %s works, the call settles once",
  async (who) => {
    const echo = echoTool({ effect: "pure" });
    const child = who === "the child" ? [callTool("echo", {}), stall(), say("42")] : [say("42")];
    const researcher = member("researcher", child, [echo]);
    const parent =
      who === "the parent" ? [ask("Find it"), stall(), say("Done")] : [ask("Find it"), say("Done")];
    const root = member("root", parent, [asTool(researcher)]);
    const world = family(root);

    const elsewhere = await afterCrash(world);

    expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
    expect(resultsOf(elsewhere)).toEqual(["42"]);
    expect(world.childrenOf(elsewhere.id)).toHaveLength(1);
    expect(world.entries(elsewhere.id).filter(({ type }) => type === "tool_result")).toHaveLength(
      1,
    );
    assertValidTranscript(elsewhere.messages);
  },
);

test("calls that begin at the same moment start no more children than a session may have", async () => {
  const answers = Array.from({ length: 1_000 }, () => say("42"));
  const researcher = member("researcher", answers);
  const calls = Array.from({ length: 501 }, (_, n) => ask(`${n}`));
  const script = [reply(...calls), reply(...calls), say("Done")];
  const root = member("root", script, [asTool(researcher)], {
    dispatch: { mode: "parallel", maxParallel: 1_000 },
  });
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(world.childrenOf(session.id)).toHaveLength(1_000);
  expect(resultsOf(session).slice(999)).toEqual([
    "42",
    expect.stringContaining("this session has 1000 children"),
    expect.stringContaining("this session has 1000 children"),
  ]);
});
