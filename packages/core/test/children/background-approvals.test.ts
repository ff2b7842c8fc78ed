/** Calls that wait in a background child are pending at the root, although no call there is open any more. */
import { callTool, echoTool, remoteTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Asked } from "./family.ts";
import { answersOf, asTool, family, firstOf, inBackground, member, resultsOf } from "./family.ts";

/** An idle root whose child in the background waits for an approval. */
async function asked(...script: readonly string[]): Promise<Asked> {
  const tool = echoTool({ needsApproval: true });
  const researcher = member("researcher", [callTool("echo", { n: 0 }), say("42")], [tool]);
  const replies = script.map((text) => say(text));
  const root = member(
    "root",
    [callTool("researcher", { task: "Find it" }), say("Wait"), ...replies],
    [inBackground(researcher, { timeoutMs: 60_000 })],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go", { id: "t1" }).response;
  await session.waitForChildren();
  const [childId = ""] = world.childrenOf(session.id);
  return { world, session, tool, childId };
}

test("the call is pending at the idle root with the path to it, and an approval there lets it run", async () => {
  const { session, tool, childId } = await asked("Done");
  const call = firstOf(session.pendingToolCalls);

  expect(session.status).toBe("completed");
  expect(session.children).toMatchObject([{ state: "waiting" }]);
  expect(call).toMatchObject({
    kind: "approval",
    toolName: "echo",
    via: [{ agent: "researcher", sessionId: childId }],
  });

  const answered = await session.approve(call).response;
  await session.waitForChildren();

  expect(answered).toMatchObject({ status: "completed", text: "" });
  expect(tool.started).toHaveLength(1);
  expect(session.pendingToolCalls).toEqual([]);
  expect(answersOf(session)).toHaveLength(1);
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test("readers hear of it between two turns, and again when it works", async () => {
  const { world, session } = await asked("Done");
  const heard: number[] = [];
  const reader = await world.host().open(session.id);
  reader.subscribe(
    (event) => {
      if (event.type === "child_waiting") heard.push(event.pending.length);
    },
    { after: { seq: 0, n: 0 } },
  );

  await session.approve(firstOf(session.pendingToolCalls)).response;
  await session.waitForChildren();
  await world.clock.advance(2_000);

  expect(heard[0]).toBe(1);
});

test("the conversation goes on while the child waits", async () => {
  const { session } = await asked("Hello", "Done");

  const response = await session.send("Hi").response;

  expect(response).toMatchObject({ status: "completed", text: "Hello" });
  expect(session.pendingToolCalls).toHaveLength(1);
  expect(response.pendingToolCalls).toBeUndefined();
});

test("a message that settles what is pending leaves the call of the child in the background alone", async () => {
  const { session, tool } = await asked("Hello", "Done");

  const response = await session.send("Hi", { ifPending: "settle" }).response;
  const waiting = session.pendingToolCalls.length;
  await session.approve(firstOf(session.pendingToolCalls)).response;
  await session.waitForChildren();

  expect(response).toMatchObject({ status: "completed", text: "Hello" });
  expect(waiting).toBe(1);
  expect(tool.started).toHaveLength(1);
});

test("the call can be answered in the child", async () => {
  const { world, session, tool, childId } = await asked("Done");
  const child = await world.host().open(childId);

  await child.deny(firstOf(child.pendingToolCalls), "No").response;
  await world.clock.advance(3_000);

  expect(tool.started).toHaveLength(0);
  expect(answersOf(session)).toHaveLength(1);
});

test("an approval with another hash is refused", async () => {
  const { session, tool } = await asked();
  const { toolCallId } = firstOf(session.pendingToolCalls);

  const response = await session.approve({ toolCallId, hash: "forged" }).response;

  expect(response).toMatchObject({ error: { code: "hash_mismatch" } });
  expect(tool.started).toHaveLength(0);
});

test("another process answers, after all of them were closed", async () => {
  const { world, session, tool } = await asked("Done");
  await session.close();

  const elsewhere = await world.host().open(session.id);
  await elsewhere.approve(firstOf(elsewhere.pendingToolCalls)).response;
  await elsewhere.waitForChildren();

  expect(tool.started).toHaveLength(1);
  expect(answersOf(elsewhere)).toHaveLength(1);
});

test("a remote call of the child is answered at the root", async () => {
  const remote = remoteTool();
  const researcher = member("researcher", [callTool(remote.name), say("42")], [remote]);
  const root = member(
    "root",
    [callTool("researcher", { task: "Go" }), say("Wait"), say("Done")],
    [inBackground(researcher)],
  );
  const session = family(root).host().createSession({ agent: "root" });
  await session.send("Go").response;
  await session.waitForChildren();
  const { toolCallId } = firstOf(session.pendingToolCalls);

  await session.send([{ toolCallId, output: "from outside" }]).response;
  await session.waitForChildren();

  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test("time in which the child waits does not count towards its limit", async () => {
  const { world, session, tool } = await asked("Done");

  await world.clock.advance(600_000);
  await session.approve(firstOf(session.pendingToolCalls)).response;
  await session.waitForChildren();

  expect(tool.started).toHaveLength(1);
  expect(answersOf(session)[0]).toContain("42");
});

test("an awaited child ends when its own child in the background has, and what waits there is pending at the root", async () => {
  const tool = echoTool({ needsApproval: true });
  const helper = member("helper", [callTool("echo", { n: 7 }), say("deep")], [tool]);
  const researcher = member(
    "researcher",
    [callTool("helper", { task: "Dig" }), say("Not yet"), say("42")],
    [inBackground(helper)],
  );
  const root = member(
    "root",
    [callTool("researcher", { task: "Find it" }), say("Done")],
    [asTool(researcher)],
  );
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  const call = firstOf(session.pendingToolCalls);

  const response = await session.approve(call).response;

  expect(call.via?.map(({ agent }) => agent)).toEqual(["researcher", "helper"]);
  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(resultsOf(session)).toEqual(["42"]);
  expect(tool.started).toHaveLength(1);
});
