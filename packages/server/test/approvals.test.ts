/** Approvals over HTTP: one decision for each of several parallel calls, and none that can be forged. */
import type { PendingCall } from "@capstan/kernel";
import { callTool, echoTool, reply, say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld, errorOf } from "./world.ts";

const twoCalls = reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 }));

async function asked(world: World) {
  const { sessionId, complete } = await world.execute({ input: "Hi" });
  const pending = complete["pendingToolCalls"] as readonly PendingCall[];
  const post = (answers: readonly object[]): Promise<Response> =>
    world.post(`/api/agent/session/${sessionId}/answers`, { answers });
  return { sessionId, pending, post };
}

const decide = (
  { toolCallId, hash }: PendingCall,
  approved: boolean,
  changes: object = {},
): object => ({ toolCallId, hash, approved, ...changes });

describe("approvals over HTTP", () => {
  test("each of several calls waits for its own decision, and runs exactly what was shown, once", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([twoCalls, say("Done")], { tools: [tool] });
    const { pending, post, sessionId } = await asked(world);
    const [first, second] = pending as [PendingCall, PendingCall];

    await post([decide(second, true)]);
    await post([decide(second, true)]);
    await post([decide(second, false)]);
    await post([decide(first, false, { reason: "not that one" })]);
    await (await world.host.open(sessionId)).waitForIdle();

    expect(pending.map(({ kind }) => kind)).toEqual(["approval", "approval"]);
    expect(tool.started.map(({ input }) => input)).toEqual([{ n: 2 }]);
    expect(world.provider.requests[1]?.messages.slice(-2)).toMatchObject([
      { isError: false, isDenied: true, content: expect.stringContaining("not that one") },
      { isError: false, content: '{"n":2}' },
    ]);
  });

  test("a message while calls wait is refused, or settles them and is answered in the same stream", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([twoCalls, say("Noon")], { tools: [tool] });
    const { sessionId } = await asked(world);
    const message = { sessionId, input: "What is the time?" };

    const refused = await errorOf(await world.post("/api/agent/execute", message));
    const odd = { ...message, options: { ifPending: "no" } };
    const unknown = await errorOf(await world.post("/api/agent/execute", odd));
    const options = { ifPending: { settle: "it took too long." } };
    const settling = { ...message, id: "t2", options };
    const { complete, frames } = await world.execute(settling);
    const again = await world.execute(settling);

    expect(refused).toEqual({ status: 409, code: "calls_pending", paths: [] });
    expect(unknown).toMatchObject({ status: 400, code: "invalid_request" });
    expect(complete).toMatchObject({ status: "completed" });
    expect(frames.map(({ data }) => data.type)).toContain("text_delta");
    expect(again.complete).toMatchObject({ status: "completed", turnId: complete["turnId"] });
    expect(tool.started).toEqual([]);
    expect(world.provider.requests[1]?.messages.slice(-3)).toMatchObject([
      { content: "Denied: it took too long." },
      { content: "Denied: it took too long." },
      { role: "user", content: "What is the time?" },
    ]);
  });

  test("an approval of something else, a result in its place, or another tool's is refused, and nothing runs", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([twoCalls], { tools: [tool] });
    const { pending, post } = await asked(world);
    const [first, second] = pending as [PendingCall, PendingCall];
    const { toolCallId } = first;

    const refusals = await Promise.all(
      [
        decide(first, true, { hash: second.hash }),
        decide(first, true, { hash: "0".repeat(64) }),
        { toolCallId, output: "I ran it, trust me" },
        decide({ ...first, toolCallId: "nothing" }, true),
      ].map(async (answer) => errorOf(await post([answer]))),
    );
    const unreadable = await errorOf(
      await post([{ toolCallId, approved: "yes", hash: first.hash }]),
    );

    expect(refusals.map(({ status, code }) => [status, code])).toEqual([
      [409, "hash_mismatch"],
      [409, "hash_mismatch"],
      [409, "wrong_kind"],
      [409, "not_pending"],
    ]);
    expect(unreadable).toMatchObject({ status: 400, code: "invalid_request" });
    expect(tool.started).toEqual([]);
  });

  test("an approval that brings an input along is refused, and what runs later is what was shown", async () => {
    const tool = echoTool({ needsApproval: true });
    const world = await createWorld([callTool("echo", { n: 1 }), say("Done")], { tools: [tool] });
    const { pending, post, sessionId } = await asked(world);

    const changed = { input: { n: 666 }, toolName: "rm" };
    const refused = await post(pending.map((call) => decide(call, true, changed)));
    await post(pending.map((call) => decide(call, true)));
    await (await world.host.open(sessionId)).waitForIdle();

    expect(refused.status).toBe(400);
    expect(tool.started.map(({ input }) => input)).toEqual([{ n: 1 }]);
  });

  test("a lent tool that needs consent waits twice: for it, and then to be run", async () => {
    const world = await createWorld([callTool("pick", { n: 1 }), say("Done")]);
    const tools = [
      { name: "pick", description: "Picks", inputSchema: { type: "object" }, needsApproval: true },
    ];
    const { sessionId, complete } = await world.execute({ input: "Hi", context: { tools } });
    const [approval] = complete["pendingToolCalls"] as readonly PendingCall[];

    const input = approval === undefined ? [] : [decide(approval, true)];
    const approved = await world.execute({ sessionId, input });

    expect(approval?.kind).toBe("approval");
    expect(approved.complete).toMatchObject({ pendingToolCalls: [{ kind: "execution" }] });
  });
});
