/** Approvals and remote calls inside child sessions: they are pending at the root, and answered there or in the child. */
import {
  assertValidTranscript,
  callTool,
  echoTool,
  remoteTool,
  reply,
  say,
} from "@capstan/testing";
import { expect, test } from "vitest";
import type { Asked } from "./family.ts";
import { asTool, family, firstOf, member, resultsOf } from "./family.ts";

const ask = (task: string) => callTool("researcher", { task });

/** A root whose child waits for approvals. */
async function asked(count = 1): Promise<Asked> {
  const tool = echoTool({ needsApproval: true });
  const calls = Array.from({ length: count }, (_, n) => callTool("echo", { n }));
  const researcher = member("researcher", [reply(...calls), say("42")], [tool]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go", { id: "t1" }).response;
  const [childId = ""] = world.childrenOf(session.id);
  return { world, session, tool, childId };
}

test("approve: a call of a child is pending at the root with the path to it, and runs once it is approved there", async () => {
  const { session, tool, childId, world } = await asked();
  const call = firstOf(session.pendingToolCalls);
  const parentCall = world
    .entries(session.id)
    .find((entry) => entry.type === "child_started" && entry.childId === childId);

  expect(session.status).toBe("awaiting_tool_execution");
  expect(call).toMatchObject({
    kind: "approval",
    toolName: "echo",
    input: { n: 0 },
    via: [
      {
        agent: "researcher",
        sessionId: childId,
        toolCallId: parentCall?.type === "child_started" ? parentCall.toolCallId : "",
      },
    ],
  });
  expect(tool.started).toHaveLength(0);

  const response = await session.approve(call).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(1);
  expect(resultsOf(session)).toEqual(["42"]);
  expect(session.pendingToolCalls).toEqual([]);
  assertValidTranscript(session.messages);
});

test("reject: a denied call of a child does not run, and child and root go on", async () => {
  const { session, tool, childId, world } = await asked();

  const response = await session.deny(firstOf(session.pendingToolCalls)).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(0);
  const child = await world.host().open(childId);
  expect(resultsOf(child)[0]).toContain("Denied");
  expect(resultsOf(session)).toEqual(["42"]);
});

test("an answer that comes after a child has ended is refused, and its root hears nothing of it", async () => {
  const { session, childId, world } = await asked();
  const { toolCallId, hash } = firstOf(session.pendingToolCalls);
  await session.approve({ toolCallId, hash }).response;
  const { length } = world.entries(session.id);
  const elsewhere = await world.host().open(childId);

  const late = await elsewhere.send([{ toolCallId, hash, approved: true }]).response;
  // A host that polls finds the refused answer, and has nothing to do.
  await world.clock.advance(5_000);

  expect(late).toMatchObject({ status: "error", error: { code: "not_pending" } });
  expect(world.entries(childId).at(-1)?.type).toBe("decision");
  expect(world.entries(session.id)).toHaveLength(length);
});

test("rejected with a message: the child's model reads why", async () => {
  const { session, tool, childId, world } = await asked();

  const response = await session.deny(firstOf(session.pendingToolCalls), "Too risky").response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(0);
  const child = await world.host().open(childId);
  expect(resultsOf(child)).toEqual(["Denied: Too risky"]);
});

test("the call can be answered in the child, and the root continues", async () => {
  const { session, tool, childId, world } = await asked();
  const child = await world.host().open(childId);

  await child.approve(firstOf(child.pendingToolCalls)).response;
  await world.clock.advance(3_000);

  expect(tool.started).toHaveLength(1);
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(session.status).toBe("completed");
});

test("the first answer wins, wherever it is given", async () => {
  const { session, tool, childId, world } = await asked();
  const call = firstOf(session.pendingToolCalls);
  const child = await world.host().open(childId);
  const shown = firstOf(child.pendingToolCalls);

  await child.deny(shown, "No").response;
  const late = await session.approve(call).response;
  await world.clock.advance(3_000);

  expect(tool.started).toHaveLength(0);
  expect(late.error?.code).not.toBe("hash_mismatch");
  expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
});

test("an approval with another hash is refused, and changes nothing", async () => {
  const { session, tool } = await asked();
  const { toolCallId } = firstOf(session.pendingToolCalls);

  const response = await session.approve({ toolCallId, hash: "forged" }).response;

  expect(response).toMatchObject({ error: { code: "hash_mismatch" } });
  expect(tool.started).toHaveLength(0);
  expect(session.pendingToolCalls).toHaveLength(1);
});

test("several at once: the child continues when all its calls are decided", async () => {
  const { session, tool, world } = await asked(2);
  const [one, two] = session.pendingToolCalls;

  const partial = await session.approve(one ?? "").response;
  await world.clock.advance(3_000);
  const left = session.pendingToolCalls;
  const whole = await session.deny(two ?? "", "No").response;

  expect(partial).toMatchObject({ status: "awaiting_tool_execution" });
  expect(left.map(({ toolCallId }) => toolCallId)).toEqual([two?.toolCallId]);
  expect(whole).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(1);
});

test("both answers in one send", async () => {
  const { session, tool } = await asked(2);
  const answers = session.pendingToolCalls.map(({ toolCallId, hash }) => ({
    toolCallId,
    hash,
    approved: true,
  }));

  const response = await session.send(answers).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(2);
});

test("streaming: the events of the turn that continues come from the handle of the answer", async () => {
  const { session } = await asked();
  const types: string[] = [];

  for await (const event of session.approve(firstOf(session.pendingToolCalls)))
    types.push(event.type);

  expect(types).toContain("child_ended");
  expect(types.at(-1)).toBe("turn_end");
});

test("inside parallel calls: one child waits while the other works, and each continues by itself", async () => {
  const tool = echoTool({ needsApproval: true });
  const careful = member("careful", [callTool("echo", { n: 1 }), say("careful is done")], [tool]);
  const quick = member("quick", [say("quick is done")]);
  const both = reply(callTool("careful", { task: "A" }), callTool("quick", { task: "B" }));
  const root = member("root", [both, say("Done")], [asTool(careful), asTool(quick)]);
  const session = family(root).host().createSession({ agent: "root" });

  const waiting = await session.send("Go").response;
  const response = await session.approve(firstOf(session.pendingToolCalls)).response;

  expect(waiting).toMatchObject({ status: "awaiting_tool_execution" });
  expect(waiting.pendingToolCalls).toHaveLength(1);
  expect(response).toMatchObject({ status: "completed" });
  expect(resultsOf(session)).toEqual(["careful is done", "quick is done"]);
});

test("two levels: what waits in a grandchild is pending at the root, and nothing is held meanwhile", async () => {
  const tool = echoTool({ needsApproval: true });
  const helper = member("helper", [callTool("echo", { n: 7 }), say("deep")], [tool]);
  const researcher = member(
    "researcher",
    [callTool("helper", { task: "Dig" }), say("42")],
    [asTool(helper)],
  );
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  const call = firstOf(session.pendingToolCalls);
  await session.close();

  expect(call.via?.map(({ agent }) => agent)).toEqual(["researcher", "helper"]);

  const elsewhere = await world.host().open(session.id);
  const response = await elsewhere.approve(firstOf(elsewhere.pendingToolCalls)).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(tool.started).toHaveLength(1);
  expect(tool.started[0]?.input).toEqual({ n: 7 });
});

test("after a snapshot: a session that is restored elsewhere without its children gives their calls up", async () => {
  const { session, tool } = await asked();
  const snapshot = await session.snapshot();
  const researcher = member("researcher", []);
  const root = member("root", [say("Understood")], [asTool(researcher)]);
  const other = family(root);

  const restored = await other.host().restore(snapshot, { trust: "own" });
  await restored.waitForIdle();

  expect(restored.pendingToolCalls).toEqual([]);
  expect(resultsOf(restored)[0]).toContain("did not move");
  expect(restored.messages.at(-1)).toMatchObject({ content: [{ text: "Understood" }] });
  expect(tool.started).toHaveLength(0);
});

test("a remote call of a child is answered at the root", async () => {
  const remote = remoteTool();
  const researcher = member("researcher", [callTool(remote.name), say("42")], [remote]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const session = world.host().createSession({ agent: "root" });
  await session.send("Go").response;
  const { toolCallId } = firstOf(session.pendingToolCalls);

  const response = await session.send([{ toolCallId, output: "from outside" }]).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
});

test("a message that settles what is pending denies it in the child", async () => {
  const { session, tool, childId, world } = await asked();

  const response = await session.send("Forget it", { ifPending: "settle" }).response;

  expect(tool.started).toHaveLength(0);
  expect(response).toMatchObject({ status: "completed" });
  expect(resultsOf(await world.host().open(childId))[0]).toContain("Denied");
});

test("an abort while a child waits ends both", async () => {
  const { session, tool, childId, world } = await asked();

  await session.abort();
  await session.waitForIdle();
  const child = await world.host().open(childId);
  await child.waitForIdle();

  expect(session.pendingToolCalls).toEqual([]);
  expect(child.pendingToolCalls).toEqual([]);
  expect(tool.started).toHaveLength(0);
  assertValidTranscript(child.messages);
});
