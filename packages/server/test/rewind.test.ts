/** Rewinds over HTTP. */
import { callTool, remoteTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { StreamReader } from "./sse.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

test("a rewind cuts the history, and a page of the session tells from where on", async () => {
  const world = await createWorld([say("One"), say("Two")]);
  const { sessionId } = await world.execute({ input: "First", id: "t1" });
  const before = await world.host.open(sessionId);
  const { lastSeq } = before;
  await world.execute({ sessionId, input: "Second", id: "t2" });
  const path = `/api/agent/session/${sessionId}`;

  const rewound = await world.post(`${path}/rewind`, { to: "t1" });
  const page = await world.request(`${path}?sinceSeq=${lastSeq}`);
  const emptied = await world.post(`${path}/rewind`, { to: "t1", before: true });

  expect(rewound.status).toBe(200);
  expect(await rewound.json()).toEqual({ lastMessageId: "t1" });
  expect(await page.json()).toMatchObject({ firstIndex: 1, messages: [], status: "idle" });
  expect(await emptied.json()).toEqual({});
});

test("a rewind that is repeated with its id counts once", async () => {
  const world = await createWorld([say("One"), say("Two")]);
  const { sessionId } = await world.execute({ input: "First", id: "t1" });
  const path = `/api/agent/session/${sessionId}/rewind`;
  await world.post(path, { to: "t1", before: true, id: "r1" });
  await world.execute({ sessionId, input: "Second", id: "t2" });

  const again = await world.post(path, { to: "t1", before: true, id: "r1" });

  expect(again.status).toBe(200);
  expect((await world.host.open(sessionId)).messages).toHaveLength(2);
});

test("a rewind is refused while a turn runs, for an unknown message, and for others", async () => {
  const world = await createWorld([say("One"), stall()]);
  const { sessionId } = await world.execute({ input: "First", id: "t1" });
  const path = `/api/agent/session/${sessionId}/rewind`;
  const unknown = await errorOf(await world.post(path, { to: "none" }));
  const foreign = await errorOf(await world.post(path, { to: "t1" }, tokens.bob));
  const running = new StreamReader(
    await world.post("/api/agent/execute", { sessionId, input: "Again", id: "t2" }),
  );
  await running.until("attempt_start");

  const refused = await errorOf(await world.post(path, { to: "t1" }));

  expect(unknown).toMatchObject({ status: 400, code: "invalid_input" });
  expect(foreign).toMatchObject({ status: 404, code: "not_found" });
  expect(refused).toMatchObject({ status: 409, code: "turn_unfinished" });
  await world.post(`/api/agent/session/${sessionId}/cancel`, { turnId: "t2" });
  await running.rest();
});

test("a reader of a suspended session is told that its calls are gone", async () => {
  const tools = [remoteTool({ name: "ask" })];
  const world = await createWorld([callTool("ask", {}), say("Fresh")], { tools });
  const { sessionId } = await world.execute({ input: "Ask", id: "t1" });
  const path = `/api/agent/session/${sessionId}`;
  const reader = new StreamReader(await world.request(`${path}/events`));

  await world.post(`${path}/rewind`, { to: "t1" });
  const event = await reader.until("history_rewound");

  expect(event.data).toMatchObject({ type: "history_rewound", to: "t1" });
  const session = await world.host.open(sessionId);
  expect(session.pendingToolCalls).toEqual([]);
});
