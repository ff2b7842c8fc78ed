/** Over HTTP leaving never cancels, and a cancel reaches the provider and the tools. */
import { callTool, deferredTool, remoteTool, reply, say, stall } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { StreamReader, typesOf } from "./sse.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const execute = "/api/agent/execute";

describe("a cancel over HTTP", () => {
  test("a cancel ends the request to the model, keeps what was said, and the stream says so", async () => {
    const world = await createWorld([reply(say("Half"), stall())]);
    const running = new StreamReader(await world.post(execute, { input: "Hi", id: "t1" }));
    await running.until("text_delta");
    const sessionId = running.response.headers.get("x-session-id") ?? "";

    const cancelled = await world.post(`/api/agent/session/${sessionId}/cancel`, {
      turnId: "t1",
      reason: "enough",
    });
    const rest = await running.rest();

    expect(cancelled.status).toBe(202);
    expect(world.provider.openStreams).toBe(0);
    expect(rest.at(-1)?.data).toMatchObject({ type: "execute_complete", status: "aborted" });
    expect(rest.find(({ data }) => data.type === "abort")?.data["reason"]).toBe("enough");
    const session = await world.host.open(sessionId);
    expect(session.messages.at(1)).toMatchObject({ content: [{ text: "Half" }] });
  });

  test("a cancel reaches the tool that runs, and nothing is asked of the model after it", async () => {
    const tool = deferredTool({ settlesOnAbort: true });
    const world = await createWorld([callTool("deferred", {}), say("Never")], { tools: [tool] });
    const running = new StreamReader(await world.post(execute, { input: "Hi", id: "t1" }));
    await tool.whenStarted();
    const sessionId = running.response.headers.get("x-session-id") ?? "";

    await world.post(`/api/agent/session/${sessionId}/cancel`, { turnId: "t1" });
    const rest = await running.rest();

    expect(tool.aborted).toHaveLength(1);
    expect(world.provider.requests).toHaveLength(1);
    expect(typesOf(rest)).toContain("tool_execution_end");
  });

  test("a cancel names its turn: one that is over, or another one, stops nothing", async () => {
    const world = await createWorld([say("One"), stall()]);
    const { sessionId } = await world.execute({ input: "Hi", id: "t1" });
    const running = new StreamReader(
      await world.post(execute, { sessionId, input: "Again", id: "t2" }),
    );
    await running.until("attempt_start");
    const path = `/api/agent/session/${sessionId}/cancel`;

    const over = await world.post(path, { turnId: "t1" });
    const unknown = await errorOf(await world.post(path, { turnId: "t9" }));
    const foreign = await errorOf(await world.post(path, { turnId: "t2" }, tokens.bob));

    expect(over.status).toBe(200);
    expect(await over.json()).toEqual({ turnId: "t1", isOver: true });
    expect(unknown).toMatchObject({ status: 404, code: "not_found" });
    expect(foreign).toMatchObject({ status: 404, code: "not_found" });
    expect(world.provider.openStreams).toBe(1);
  });

  test("a turn that waits for answers can be stopped, and takes none any more", async () => {
    const world = await createWorld([callTool("remote", {})], { tools: [remoteTool()] });
    const { sessionId, complete } = await world.execute({ input: "Hi", id: "t1" });
    const [pending] = complete["pendingToolCalls"] as readonly { readonly toolCallId: string }[];
    const path = `/api/agent/session/${sessionId}`;

    const cancelled = await world.post(`${path}/cancel`, { turnId: "t1" });
    await (await world.host.open(sessionId)).waitForIdle();
    const late = await errorOf(
      await world.post(`${path}/answers`, {
        answers: [{ toolCallId: pending?.toolCallId, output: "late" }],
      }),
    );

    expect(cancelled.status).toBe(202);
    expect(late).toMatchObject({ status: 409, code: "not_pending" });
  });
});
