/** Children in the background that are looked after and stopped, and what an abort, a rewind, a fork and a deletion mean for them. */
import type { Agent, Session } from "@capstan/core";
import { handoff } from "@capstan/core";
import type { ScriptItem } from "@capstan/testing";
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  echoTool,
  reply,
  say,
} from "@capstan/testing";
import { expect, test } from "vitest";
import type { Family } from "./family.ts";
import { answersOf, asTool, family, inBackground, member, resultsOf } from "./family.ts";

const ask = callTool("researcher", { task: "Find it" });

interface Busy {
  readonly world: Family;
  readonly session: Session;
  readonly slow: ReturnType<typeof deferredTool>;
  readonly childId: string;
  /** Lets the child end. */
  finish(): Promise<void>;
}

/** An idle root whose child works in the background. */
async function busy(...script: readonly ScriptItem[]): Promise<Busy> {
  const slow = deferredTool({ settlesOnAbort: true });
  const researcher = member("researcher", [callTool("deferred"), say("42")], [slow]);
  return started(researcher, slow, script);
}

async function started(
  researcher: Agent,
  slow: Busy["slow"],
  script: readonly ScriptItem[],
): Promise<Busy> {
  const root = member("root", [ask, say("Wait"), ...script], [inBackground(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go", { id: "t1" }).response;
  const [call] = await slow.whenStarted();
  const [childId = ""] = world.childrenOf(session.id);
  const finish = async (): Promise<void> => {
    slow.resolve(call?.toolCallId ?? "", "ok");
    await session.waitForChildren();
  };
  return { world, session, slow, childId, finish };
}

function endOf({ world, session }: Busy): unknown {
  return world.entries(session.id).findLast(({ type }) => type === "child_ended");
}

test("the model can ask whether its children work", async () => {
  const { session, childId } = await busy(
    reply(callTool("child_status", {}), callTool("child_status", { child: "nobody" })),
    say("It works"),
  );

  await session.send("How far is it?").response;

  expect(resultsOf(session)[1]).toBe(`${childId} (researcher): working`);
  expect(resultsOf(session)[2]).toBe(`There is no child "nobody". Known: ${childId}`);
});

test("the model learns what a child waits for, and that it has ended", async () => {
  const tool = echoTool({ needsApproval: true });
  const researcher = member("researcher", [callTool("echo", {}), say("42")], [tool]);
  const look = callTool("child_status", {});
  const root = member(
    "root",
    [ask, say("Wait"), look, say("It waits"), say("Done"), look, say("It ended")],
    [inBackground(researcher)],
  );
  const session = family(root).host().createSession({ agent: "root" });
  await session.send("Go").response;
  await session.waitForChildren();
  await session.send("How far is it?").response;
  await session.approve(session.pendingToolCalls[0] ?? "").response;
  await session.waitForChildren();

  await session.send("And now?").response;

  expect(resultsOf(session)[1]).toContain("waiting for an approval of echo");
  expect(resultsOf(session)[2]).toContain("ended with an answer");
});

test("the tools are there if an agent works in the background, and a tool of the same name comes first", async () => {
  const researcher = member("researcher", []);
  const own = echoTool({ name: "child_status" });
  const plain = member("plain", [say("Hi")], [asTool(researcher)]);
  const busyOne = member(
    "busy",
    [callTool("child_status", {}), say("Hi")],
    [inBackground(researcher), own],
  );

  await family(plain).host().createSession({ agent: "plain" }).send("Go").response;
  await family(busyOne).host().createSession({ agent: "busy" }).send("Go").response;

  expect(toolsOf(plain)).not.toContain("child_status");
  expect(toolsOf(busyOne).filter((name) => name.startsWith("child_"))).toEqual([
    "child_status",
    "child_stop",
  ]);
  expect(own.started).toHaveLength(1);
});

test("the model can stop a child: that is recorded, and no answer comes", async () => {
  const stopping = await stopped();

  expect(stopping.slow.aborted).toHaveLength(1);
  expect(endOf(stopping)).toMatchObject({ outcome: "stopped" });
  expect(resultsOf(stopping.session)[1]).toBe(`Child ${stopping.childId} was stopped.`);
  expect(resultsOf(stopping.session)[2]).toContain("does not work any more");
  expect(answersOf(stopping.session)).toEqual([]);
  expect(stopping.session.status).toBe("completed");
});

/** A root that has stopped its child, twice. */
async function stopped(): Promise<Busy> {
  const slow = deferredTool({ settlesOnAbort: true });
  const researcher = member("researcher", [callTool("deferred"), say("42")], [slow]);
  // The id of the child follows from the ids of the session and of the call, which are counted here.
  const probe = await started(researcher, slow, []);
  const { childId } = probe;
  const again = deferredTool({ settlesOnAbort: true });
  const other = member("researcher", [callTool("deferred"), say("42")], [again]);
  const stop = callTool("child_stop", { child: childId });
  const run = await started(other, again, [stop, stop, say("Stopped")]);
  expect(run.childId).toBe(childId);
  await run.session.send("Stop it").response;
  await run.world.clock.advance(3_000);
  return run;
}

test("an abort ends the turn, and the child goes on", async () => {
  const own = deferredTool({ name: "own", settlesOnAbort: true });
  const slow = deferredTool({ settlesOnAbort: true });
  const researcher = member("researcher", [callTool("deferred"), say("42")], [slow]);
  const root = member(
    "root",
    [ask, callTool("own"), say("It is 42")],
    [inBackground(researcher), own],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  await own.whenStarted();
  const [call] = await slow.whenStarted();

  await session.abort("Enough");
  const response = await turn.response;
  slow.resolve(call?.toolCallId ?? "", "ok");
  await session.waitForChildren();

  expect(response.status).toBe("aborted");
  expect(slow.aborted).toHaveLength(0);
  expect(answersOf(session)).toHaveLength(1);
  assertValidTranscript(session.messages);
});

test("a rewind that keeps the call keeps the child; one that cuts it stops the child", async () => {
  const kept = await busy(say("More"), say("Done"));
  await kept.session.send("More?", { id: "t2" }).response;
  await kept.session.rewind("t2", { before: true });
  await kept.finish();
  const cut = await busy();
  await cut.session.rewind("t1", { before: true });
  await cut.session.waitForIdle();
  await cut.world.clock.advance(3_000);

  expect(answersOf(kept.session)).toHaveLength(1);
  expect(cut.slow.aborted).toHaveLength(1);
  expect(endOf(cut)).toMatchObject({ outcome: "stopped" });
  expect(answersOf(cut.session)).toEqual([]);
});

test("a reset stops the child", async () => {
  const run = await busy();

  await run.session.reset();
  await run.session.waitForIdle();
  await run.world.clock.advance(3_000);

  expect(run.slow.aborted).toHaveLength(1);
  expect(run.session.messages).toEqual([]);
  expect(run.session.status).toBe("idle");
});

test("a fork has no children: the answer comes to the original, whose children a deletion of the fork leaves alone", async () => {
  const run = await busy(say("Done"));
  const { world, session, childId } = run;

  const fork = await session.fork();
  const { children } = fork;
  await world.host().delete(fork.id);
  await run.finish();

  expect(children).toEqual([]);
  expect(world.repository.read(childId).entries).not.toEqual([]);
  expect(answersOf(session)).toHaveLength(1);
});

test("deletion of the parent deletes the child while it works", async () => {
  const { world, session } = await busy();
  const host = world.host();

  await host.delete(session.id);
  await world.clock.advance(3_000);

  expect((await host.list()).sessions).toEqual([]);
});

test("queued answers cannot be taken back", async () => {
  const own = deferredTool({ name: "own" });
  const researcher = member("researcher", [say("42")]);
  const root = member(
    "root",
    [reply(ask, callTool("own")), say("It is 42")],
    [inBackground(researcher), own],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  const [call] = await own.whenStarted();
  await world.clock.advance(0);

  const returned = await session.clearQueue();
  own.resolve(call?.toolCallId ?? "", "ok");
  await turn.response;

  expect(returned).toEqual([]);
  expect(answersOf(session)).toHaveLength(1);
});

test("after a handoff the answer comes to the agent that has the conversation", async () => {
  const slow = deferredTool();
  const researcher = member("researcher", [callTool("deferred"), say("42")], [slow]);
  const billing = member("billing", [say("Billing here"), say("It is 42")]);
  const root = member(
    "root",
    [ask, callTool("hand_off_to_billing", {})],
    [inBackground(researcher), handoff(billing, { description: "Money" })],
  );
  const session = family(root).host().createSession({ agent: "root" });
  await session.send("Go").response;
  const [call] = await slow.whenStarted();

  slow.resolve(call?.toolCallId ?? "", "ok");
  await session.waitForChildren();

  expect(session.agent).toBe("billing");
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "It is 42" }] });
});

test("a session that is restored elsewhere gets a message that its child did not move", async () => {
  const { session } = await busy();
  const snapshot = await session.snapshot();
  const root = member("root", [say("Understood")], [inBackground(member("researcher", []))]);

  const restored = await family(root).host().restore(snapshot, { trust: "own" });
  await restored.waitForChildren();

  expect(answersOf(restored)[0]).toContain("did not move");
  expect(restored.messages.at(-1)).toMatchObject({ content: [{ text: "Understood" }] });
});

test("a summary can be written while the child works", async () => {
  const run = await busy(say("A summary"), say("Done"));

  const { after } = await run.session.compact();
  await run.finish();

  expect(after).toBeGreaterThan(0);
  expect(answersOf(run.session)).toHaveLength(1);
});

test("a cancelled task stops what was started for it in the background", async () => {
  const slow = deferredTool({ settlesOnAbort: true });
  const helper = member("helper", [callTool("deferred"), say("deep")], [slow]);
  const researcher = member(
    "researcher",
    [callTool("helper", { task: "Dig" }), say("Not yet")],
    [inBackground(helper)],
  );
  const root = member("root", [ask, say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  const turn = session.send("Go");
  await slow.whenStarted();

  await session.abort();
  const response = await turn.response;
  await world.clock.advance(3_000);

  expect(response.status).toBe("aborted");
  expect(slow.aborted).toHaveLength(1);
  const [childId = ""] = world.childrenOf(session.id);
  expect(world.entries(childId).findLast(({ type }) => type === "child_ended")).toMatchObject({
    outcome: "stopped",
  });
});

function toolsOf(agent: Agent): readonly string[] {
  const { requests } = agent.model as unknown as {
    readonly requests: readonly { readonly tools: readonly string[] }[];
  };
  return requests[0]?.tools ?? [];
}
