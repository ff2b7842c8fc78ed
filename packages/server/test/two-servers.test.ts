/** Two servers on one store: whichever a client reaches, it is the same session. */
import type { PendingCall } from "@capstan/kernel";
import { memoryRepository } from "@capstan/log";
import { callTool, reply, say, stall, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { StreamReader, typesOf } from "./sse.ts";
import { createWorld, errorOf } from "./world.ts";

const tools = [{ name: "pick", description: "Picks", inputSchema: { type: "object" } }];

async function twoServers(script: Parameters<typeof createWorld>[0]) {
  const repository = memoryRepository();
  const here = await createWorld(script, { repository });
  const there = await createWorld([], { repository });
  return { here, there };
}

test("a turn that one runs is followed at the other, live, and stopped from there", async () => {
  const gate = Promise.withResolvers<void>();
  const { here, there } = await twoServers([
    reply(say("Hel"), wait(gate.promise), say("lo"), stall()),
  ]);
  const running = new StreamReader(
    await here.post("/api/agent/execute", { input: "Hi", id: "t1" }),
  );
  await running.until("text_delta");
  const sessionId = running.response.headers.get("x-session-id") ?? "";
  const path = `/api/agent/session/${sessionId}`;

  const follower = new StreamReader(await there.request(`${path}/events?after=0.0`));
  await follower.until("snapshot");
  gate.resolve();
  const live = await follower.until("text_delta");
  const cancelled = await there.post(`${path}/cancel`, { turnId: "t1" });
  const rest = await running.rest();
  await follower.until("turn_end");

  expect(live.data["delta"]).toBe("lo");
  expect(cancelled.status).toBe(202);
  expect(rest.at(-1)?.data).toMatchObject({ status: "aborted" });
  expect(here.provider.openStreams).toBe(0);
});

test("a key is one session at both, and so is a turn that is sent to both", async () => {
  const { here, there } = await twoServers([say("Once")]);
  const body = { sessionId: "k", id: "t1", input: "Hi", context: {} };

  const first = await here.execute(body);
  const second = await there.execute(body);

  expect(second.sessionId).toBe(first.sessionId);
  expect(second.complete).toEqual(first.complete);
  expect(there.provider.requests).toHaveLength(0);
});

test("a call that one tab has claimed at one server is taken at the other, and its answer may go anywhere", async () => {
  const { here, there } = await twoServers([callTool("pick", {}), say("Done")]);
  const { sessionId, complete } = await here.execute({ input: "Hi", context: { tools } });
  const [pending] = complete["pendingToolCalls"] as readonly PendingCall[];
  const toolCallId = pending?.toolCallId ?? "";
  const path = `/api/agent/session/${sessionId}`;
  const events = new StreamReader(await here.request(`${path}/events`));

  const claimed = await here.post(`${path}/claims`, { toolCallId, client: "tab-1" });
  const taken = await errorOf(await there.post(`${path}/claims`, { toolCallId, client: "tab-2" }));
  const answers = [{ toolCallId, output: "picked" }];
  const answered = await here.post(`${path}/answers`, { answers });
  const again = await there.post(`${path}/answers`, { answers });
  await events.until("turn_end");

  expect(claimed.status).toBe(200);
  expect(taken.code).toBe("already_claimed");
  expect([answered.status, again.status]).toEqual([202, 202]);
  expect(typesOf(events.seen).filter((type) => type === "tool_execution_end")).toHaveLength(1);
});

test("a session that one deletes is not found at the other, which had it in memory", async () => {
  const { here, there } = await twoServers([say("Hello")]);
  const { sessionId } = await here.execute({ input: "Hi" });
  const path = `/api/agent/session/${sessionId}`;

  const deleted = await there.request(path, { method: "DELETE" });
  const asked = await errorOf(await here.request(path));

  expect(deleted.status).toBe(204);
  expect(asked).toMatchObject({ status: 404, code: "not_found" });
  expect(here.faults).toEqual([]);
});

test("a session that one deletes ends the stream of whoever executes it at the other", async () => {
  const { here, there } = await twoServers([reply(say("Hel"), stall())]);
  const body = { sessionId: "k", id: "t1", input: "Hi", context: {} };
  const running = new StreamReader(await here.post("/api/agent/execute", body));
  await running.until("text_delta");
  const following = new StreamReader(await there.post("/api/agent/execute", body));
  await following.until("snapshot");
  const sessionId = running.response.headers.get("x-session-id") ?? "";

  await here.request(`/api/agent/session/${sessionId}`, { method: "DELETE" });
  const [first, second] = [await running.rest(), await following.rest()];

  expect(first.at(-1)?.data).toEqual({ type: "stream_end", reason: "deleted" });
  expect(second.at(-1)?.data).toEqual({ type: "stream_end", reason: "deleted" });
});
