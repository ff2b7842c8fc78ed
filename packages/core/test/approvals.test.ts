import { agentTool, createAgent } from "@capstan/core";
import type { Answer, Approval, Session } from "@capstan/core";
import type { JsonValue, PendingCall } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import { callTool, echoTool, remoteTool, reply, say, scriptedProvider } from "@capstan/testing";
import type { RecordingTool } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const leaseMs = 30_000;

function approve({ toolCallId, hash }: PendingCall): Approval {
  return { toolCallId, hash, approved: true };
}

function deny({ toolCallId, hash }: PendingCall, reason: string): Approval {
  return { toolCallId, hash, approved: false, reason };
}

function inputsOf(tool: RecordingTool): JsonValue[] {
  return tool.started.map(({ input }) => input);
}

interface Asking {
  readonly world: World;
  readonly session: Session;
  readonly tool: RecordingTool;
  readonly calls: readonly [PendingCall, PendingCall];
}

/** A session that asks about two calls of one tool. A third call needs nobody's consent, and has run. */
async function askingAboutTwo(): Promise<Asking> {
  const tool = echoTool({ name: "rm", needsApproval: true });
  const calls = reply(
    callTool("rm", { path: "a" }),
    callTool("echo", { n: 1 }),
    callTool("rm", { path: "b" }),
  );
  const world = createWorld([calls, say("Done")], [tool, echoTool()]);
  const session = world.host().createSession({ agent: "helper" });
  const { pendingToolCalls = [] } = await session.send("Hello", { id: "t1" }).response;
  const [first, second] = pendingToolCalls;
  if (first === undefined || second === undefined) throw new Error("Two calls should wait");
  return { world, session, tool, calls: [first, second] };
}

describe("each call needs its own approval", () => {
  test("each of several calls is decided by itself, in any order and any host; what needs nobody runs at once", async () => {
    const { world, session, tool, calls } = await askingAboutTwo();
    const second = await expectSameElsewhere(world, session);

    const partial = await second.send([deny(calls[1], "keep it")]).response;
    const third = await expectSameElsewhere(world, second);
    const whole = await third.send([approve(calls[0])]).response;

    expect(calls.map(({ hash }) => hash)).toEqual(
      calls.map(({ toolName, input, toolCallId }) => hashJson([toolName, input, toolCallId])),
    );
    expect(partial).toMatchObject({
      status: "awaiting_tool_execution",
      pendingToolCalls: [calls[0]],
    });
    expect(whole).toMatchObject({ status: "completed", text: "Done" });
    expect(inputsOf(tool)).toEqual([{ path: "a" }]);
    expect(third.messages.slice(2, 5)).toMatchObject([
      { content: '{"path":"a"}', isError: false },
      { content: '{"n":1}', isError: false },
      { content: "Denied: keep it", isError: false, isDenied: true },
    ]);
    await expectSameElsewhere(world, third);
  });

  test.each<[what: string, hashOf: (call: PendingCall, other: PendingCall) => string]>([
    ["of another call", (_, other) => other.hash],
    [
      "of the same call with another input",
      ({ toolName, toolCallId }) => hashJson([toolName, { path: "/" }, toolCallId]),
    ],
    [
      "of the same input of another tool",
      ({ input, toolCallId }) => hashJson(["echo", input, toolCallId]),
    ],
    [
      "of the same tool and input in another turn",
      ({ toolName, input }) => hashJson([toolName, input, "t0_1_0"]),
    ],
    ["that is empty", () => ""],
  ])("a decision with a hash %s runs nothing, and the call goes on waiting", async (_, hashOf) => {
    const { world, session, tool, calls } = await askingAboutTwo();
    const { toolCallId } = calls[0];
    const forged = { toolCallId, hash: hashOf(...calls), approved: true };

    const refused = await session.send([forged]).response;

    expect(refused).toMatchObject({ status: "error", error: { code: "hash_mismatch" } });
    expect(tool.started).toEqual([]);
    expect(session.pendingToolCalls).toEqual(calls);
    await expectSameElsewhere(world, session);
  });

  test("nobody gets around an approval with a result of his own", async () => {
    const { world, session, tool, calls } = await askingAboutTwo();
    const { toolCallId } = calls[0];

    const refused = await session.send([{ toolCallId, output: "deleted" }]).response;

    expect(refused).toMatchObject({ error: { code: "wrong_kind" } });
    expect(session.pendingToolCalls).toEqual(calls);
    expect(tool.started).toEqual([]);
    await expectSameElsewhere(world, session);
  });

  test("a decision about a call that waits to be run is refused, and the call goes on waiting", async () => {
    const world = createWorld([callTool("remote"), say("Done")], [remoteTool()]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;

    const refused = await session.send(calls.map(approve)).response;

    expect(refused).toMatchObject({ error: { code: "wrong_kind" } });
    expect(session.pendingToolCalls).toEqual(calls);
  });

  test("a decision that came twice runs once, and a later one does not change it", async () => {
    const { world, session, tool, calls } = await askingAboutTwo();
    const elsewhere = await world.host().open(session.id);

    await session.send([approve(calls[0]), approve(calls[0])]).response;
    await elsewhere.send([deny(calls[0], "changed my mind")]).response;
    await elsewhere.send([approve(calls[1])]).response;
    const late = await elsewhere.send([approve(calls[0])]).response;

    expect(late).toMatchObject({ error: { code: "not_pending" } });
    expect(inputsOf(tool)).toEqual([{ path: "a" }, { path: "b" }]);
  });

  test("an approval of one call is none of the same call that the model makes again", async () => {
    const tool = echoTool({ name: "rm", needsApproval: true });
    const ask = callTool("rm", { path: "a" });
    const world = createWorld([ask, ask, say("Done")], [tool]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: first = [] } = await session.send("Hello").response;
    const { pendingToolCalls: second = [] } = await session.send(first.map(approve)).response;

    const stale = second.map(({ toolCallId }) => ({
      toolCallId,
      hash: first[0]?.hash ?? "",
      approved: true,
    }));
    const refused = await session.send(stale).response;

    expect(second).toMatchObject([{ kind: "approval", input: { path: "a" } }]);
    expect(refused).toMatchObject({ error: { code: "hash_mismatch" } });
    expect(tool.started).toHaveLength(1);
  });

  test("the input that a hook has altered is what is shown, approved and run, and no hook sees it again", async () => {
    const tool = echoTool({ name: "rm", needsApproval: true });
    const seen: JsonValue[] = [];
    const world = createWorld([callTool("rm", { path: "/" }), say("Done")], [tool], {
      hooks: {
        before: ({ input }) => {
          seen.push(input);
          return { action: "alter", input: { path: "/tmp/x" } };
        },
      },
    });
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;
    const elsewhere = await expectSameElsewhere(world, session);

    const ofOriginal = calls.map(({ toolCallId }) => ({
      toolCallId,
      hash: hashJson(["rm", { path: "/" }, toolCallId]),
      approved: true,
    }));
    const forged = await elsewhere.send(ofOriginal).response;
    await elsewhere.send(calls.map(approve)).response;

    expect(calls).toMatchObject([{ input: { path: "/tmp/x" } }]);
    expect(forged).toMatchObject({ error: { code: "hash_mismatch" } });
    expect(inputsOf(tool)).toEqual([{ path: "/tmp/x" }]);
    expect(seen).toEqual([{ path: "/" }]);
  });

  test("a hook that asks suspends the call as the tool itself would, with its reason", async () => {
    const tool = echoTool();
    const world = createWorld([callTool("echo", { n: 1 }), say("Done")], [tool], {
      hooks: { before: () => ({ action: "ask", reason: "outside of the folder" }) },
    });
    const session = world.host().createSession({ agent: "helper" });

    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;
    const elsewhere = await expectSameElsewhere(world, session);
    const { text } = await elsewhere.send(calls.map(approve)).response;

    expect(calls).toMatchObject([{ kind: "approval", reason: "outside of the folder" }]);
    expect(text).toBe("Done");
    expect(tool.started).toHaveLength(1);
  });

  test("an approval outlives the process that took it: the call runs once, in the next", async () => {
    const { world, session, tool, calls } = await askingAboutTwo();
    await session.close();
    const process = mortal(world.repository);
    const doomed = await world
      .host({ repository: process.repository, pollMs: Infinity })
      .open(session.id);
    process.dieAfter("turn_started");
    doomed.send(calls.map(approve));
    await world.clock.advance(0);
    const before = tool.started.length;

    const rescuer = world.host();
    await world.clock.advance(leaseMs + 2_000);

    const elsewhere = await rescuer.open(session.id);
    expect(before).toBe(0);
    expect(inputsOf(tool)).toEqual([{ path: "a" }, { path: "b" }]);
    expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
    await expectSameElsewhere(world, elsewhere);
  });

  test("a remote tool that needs consent waits twice: for it, and then to be run with what was shown", async () => {
    const world = createWorld(
      [callTool("remote", { n: 1 }), say("Done")],
      [remoteTool({ needsApproval: true })],
    );
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: asked = [] } = await session.send("Hello").response;

    const { pendingToolCalls: waiting = [] } = await session.send(asked.map(approve)).response;
    const elsewhere = await expectSameElsewhere(world, session);
    const again = await elsewhere.send(asked.map(approve)).response;
    const answers = waiting.map(({ toolCallId }): Answer => ({
      toolCallId,
      output: "ran",
    }));
    const { text } = await elsewhere.send(answers).response;

    expect(asked).toMatchObject([{ kind: "approval", input: { n: 1 } }]);
    expect(waiting).toMatchObject([{ kind: "execution", input: { n: 1 } }]);
    expect(again).toMatchObject({ error: { code: "wrong_kind" } });
    expect(text).toBe("Done");
  });

  test("a decision that nobody takes in time is an error result, and nothing runs", async () => {
    const tool = echoTool({ needsApproval: true, answerWithinMs: 5_000 });
    const world = createWorld([callTool("echo"), say("Nobody there")], [tool]);
    const session = world.host().createSession({ agent: "helper" });
    const { pendingToolCalls: calls = [] } = await session.send("Hello").response;

    await world.clock.advance(6_000);
    const late = await session.send(calls.map(approve)).response;

    expect(late).toMatchObject({ error: { code: "not_pending" } });
    expect(tool.started).toEqual([]);
    expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Nobody there" }] });
  });

  test("a call of an agent that is a tool needs consent, too, and is shown with the path to it", async () => {
    const tool = echoTool({ name: "rm", needsApproval: true });
    const model = scriptedProvider([callTool("rm", { path: "/" }), say("It is not allowed")]);
    const helper = createAgent({ name: "cleaner", model, tools: [tool] });
    const world = createWorld(
      [callTool("cleaner", { task: "Tidy up" }), say("It could not")],
      [agentTool(helper, { description: "Tidies up" })],
    );
    const session = world.host().createSession({ agent: "helper" });

    const asked = await session.send("Hello").response;
    const [call] = session.pendingToolCalls;
    const response = await session.deny(call ?? "", "Never").response;

    expect(asked).toMatchObject({ status: "awaiting_tool_execution" });
    expect(call).toMatchObject({ toolName: "rm", via: [{ agent: "cleaner" }] });
    expect(response).toMatchObject({ status: "completed", text: "It could not" });
    expect(session.messages[2]).toMatchObject({ content: "It is not allowed" });
    expect(tool.started).toEqual([]);
    await expectSameElsewhere(world, session);
  });
});
