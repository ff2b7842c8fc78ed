/** A session that is deleted through one server and begun again, while another one still knows the old. */
import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { callTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { StreamReader } from "./sse.ts";
import type { World } from "./world.ts";
import { createWorld, errorOf } from "./world.ts";

const path = "/api/agent/session/chat";
const replaced = { status: 409, code: "session_replaced" };

/** A handle of the store to which every wake-up is lost. */
function deaf(repository: MemoryRepository): SessionRepository {
  return { ...repository, subscribe: () => () => {} };
}

interface Reading {
  readonly incarnation: string;
  readonly cursor: string;
  readonly lastSeq: number;
  readonly messages: readonly object[];
}

async function readingOf(response: Response): Promise<Reading> {
  expect(response.status).toBe(200);
  return (await response.json()) as Reading;
}

/** Two servers; the session `chat` was read at `there`, and is another one since. */
async function replacedWorlds(script: Parameters<typeof createWorld>[0] = []) {
  const repository = memoryRepository();
  const talk = [say("One"), say("Two"), say("Fresh")];
  const here = await createWorld([...talk, ...script], { repository });
  const there = await createWorld([say("Here"), say("Here")], { repository: deaf(repository) });
  await here.execute({ sessionId: "chat", input: "My secret", id: "s1", context: {} });
  await here.execute({ sessionId: "chat", input: "And another", id: "s2", context: {} });
  const old = await readingOf(await there.request(path));
  const replace = async (): Promise<Reading> => {
    await here.request(path, { method: "DELETE" });
    await here.execute({ sessionId: "chat", input: "Fresh start", id: "n1", context: {} });
    return readingOf(await here.request(path));
  };
  return { here, there, old, replace };
}

async function textsAt(world: World): Promise<string> {
  return JSON.stringify((await readingOf(await world.request(path))).messages);
}

test("a server that knows the old session reads the new one", async () => {
  const { there, replace, old } = await replacedWorlds();
  await replace();

  const response = await there.request(path);
  const named = response.headers.get("x-session-incarnation");
  const reading = await readingOf(response);

  expect(JSON.stringify(reading.messages)).toContain("Fresh start");
  expect(JSON.stringify(reading.messages)).not.toContain("secret");
  expect(reading.incarnation).toBe(named);
  expect(reading.incarnation).not.toBe(old.incarnation);
});

test("a server that knows the old session sends to the new one", async () => {
  const { here, there, replace } = await replacedWorlds();
  await replace();

  const { complete, sessionId } = await there.execute({ sessionId: "chat", input: "Go", id: "n2" });
  const steered = await there.post(`/api/agent/session/${sessionId}/follow-up`, { input: "On" });

  expect(complete).toMatchObject({ status: "completed" });
  expect(steered.status).toBe(202);
  expect(JSON.stringify(there.provider.requests)).not.toContain("secret");
  expect(await textsAt(here)).not.toContain("secret");
});

test("a turn of the same id as one of the old session is a turn of the new one", async () => {
  const { there, replace } = await replacedWorlds();
  await replace();

  const { complete } = await there.execute({ sessionId: "chat", input: "Anew", id: "s1" });

  expect(complete).toMatchObject({ status: "completed", turnId: "s1" });
  expect(await textsAt(there)).toContain("Anew");
});

test("a turn of the same id and the same words is a turn of the new session as well", async () => {
  const { there, replace } = await replacedWorlds();
  await replace();

  const { complete } = await there.execute({ sessionId: "chat", input: "My secret", id: "s1" });

  expect(complete).toMatchObject({ status: "completed", turnId: "s1" });
  expect(there.provider.requests).toHaveLength(1);
  expect(await textsAt(there)).toContain("Fresh start");
});

test("what is meant for the new session reaches it through a server that knows the old", async () => {
  const { there, replace } = await replacedWorlds();
  const { incarnation } = await replace();

  const reading = await readingOf(await there.request(`${path}?incarnation=${incarnation}`));
  const steered = await there.post(`${path}/follow-up`, { input: "On", incarnation });

  expect(JSON.stringify(reading.messages)).toContain("Fresh start");
  expect(steered.status).toBe(202);
});

test.each<[string, object]>([
  ["steer", { input: "Late", id: "x1" }],
  ["follow-up", { input: "Late", id: "x1" }],
  ["answers", { answers: [{ toolCallId: "s1_1_0", output: "" }] }],
  ["claims", { toolCallId: "s1_1_0", client: "tab" }],
  ["cancel", { turnId: "s1" }],
  ["fork", {}],
])("%s that is meant for the old session is refused, at every server", async (name, body) => {
  const { here, there, old, replace } = await replacedWorlds();
  const fresh = await replace();
  const meant = { ...body, incarnation: old.incarnation };

  const refusals = [
    await errorOf(await there.post(`${path}/${name}`, meant)),
    await errorOf(await here.post(`${path}/${name}`, meant)),
  ];

  expect(refusals).toMatchObject([replaced, replaced]);
  expect((await readingOf(await here.request(path))).lastSeq).toBe(fresh.lastSeq);
});

test("reads, streams, turns and a delete that are meant for the old session are refused", async () => {
  const { there, old, replace } = await replacedWorlds();
  await replace();
  const { incarnation } = old;
  const asked = `incarnation=${incarnation}`;

  const refusals = [
    await errorOf(await there.request(`${path}?sinceSeq=3&${asked}`)),
    await errorOf(await there.request(`${path}/events?after=${old.cursor}&${asked}`)),
    await errorOf(
      await there.post("/api/agent/execute", { sessionId: "chat", input: "Late", incarnation }),
    ),
    await errorOf(await there.request(`${path}?${asked}`, { method: "DELETE" })),
  ];

  expect(refusals).toMatchObject([replaced, replaced, replaced, replaced]);
});

test("a turn that is meant for a session that was deleted does not begin another", async () => {
  const { here, there, old } = await replacedWorlds();
  await here.request(path, { method: "DELETE" });
  const { incarnation } = old;
  const body = { sessionId: "chat", input: "Late", incarnation, context: {} };

  const refusal = await errorOf(await there.post("/api/agent/execute", body));

  expect(refusal).toMatchObject({ status: 404, code: "not_found" });
});

test("a cursor that is further than the session is refused, and not waited for", async () => {
  const { there, old, replace } = await replacedWorlds();
  const fresh = await replace();

  const refusals = [
    await errorOf(await there.request(`${path}/events?after=${old.cursor}`)),
    await errorOf(await there.request(`${path}/events`, { headers: { "last-event-id": "99.1" } })),
    await errorOf(await there.request(`${path}?sinceSeq=${fresh.lastSeq + 1}`)),
  ];

  const ahead = { status: 409, code: "cursor_ahead" };
  expect(refusals).toMatchObject([ahead, ahead, ahead]);
});

test("a cursor that only this server has not reached is no cursor too far for a turn that is sent again", async () => {
  const { here, there } = await replacedWorlds();
  await here.execute({ sessionId: "chat", input: "Go on", id: "s3" });
  const { cursor } = await readingOf(await here.request(path));

  const again = await there.request("/api/agent/execute", {
    method: "POST",
    headers: { "content-type": "application/json", "last-event-id": cursor },
    body: JSON.stringify({ sessionId: "chat", input: "My secret", id: "s1" }),
  });
  await again.body?.cancel();

  expect(again.status).toBe(200);
});

test.each([
  ["another server", 0],
  ["the same server", 1],
])("what an old session of %s held does not count as held by the new one", async (_, first) => {
  const repository = memoryRepository();
  const server = { limits: { maxStoredCharsPerSession: 1_000 } };
  const here = await createWorld([say("One"), say("Fresh")], { repository });
  const there = await createWorld([say("Two"), say("Three")], { repository, server });
  const body = { sessionId: "chat", input: "x".repeat(1_500), id: "s1", context: {} };
  await [here, there][first]?.execute(body);
  const full = await errorOf(await there.post(`${path}/follow-up`, { input: "More" }));
  await here.request(path, { method: "DELETE" });
  await here.execute({ ...body, input: "Fresh start", id: "n1" });

  const taken = await there.post(`${path}/follow-up`, { input: "More" });

  expect(full).toMatchObject({ status: 507, code: "storage_full" });
  expect(taken.status).toBe(202);
});

test("streams of the old session end, and those of the new one say whose they are", async () => {
  const { there, old, replace } = await replacedWorlds();
  const stream = new StreamReader(await there.request(`${path}/events?after=${old.cursor}`));
  const start = await stream.until("stream_start");
  const fresh = await replace();

  // Whoever asks this server next lets it find out.
  await there.request(path);
  const rest = await stream.rest();
  const next = new StreamReader(await there.request(`${path}/events?after=0.0`));
  const begun = await next.until("stream_start");
  await next.leave();

  expect(start.data["incarnation"]).toBe(old.incarnation);
  expect(rest.at(-1)?.data).toEqual({ type: "stream_end", reason: "deleted" });
  expect(begun.data["incarnation"]).toBe(fresh.incarnation);
  expect(next.response.headers.get("x-session-incarnation")).toBe(fresh.incarnation);
});

test("a new session tells its incarnation with its first turn", async () => {
  const world = await createWorld([say("Hi")]);

  const response = await world.post("/api/agent/execute", { input: "Hello" });
  const stream = new StreamReader(response);
  await stream.until("execute_complete");

  const sessionId = response.headers.get("x-session-id") ?? "";
  const reading = await readingOf(await world.request(`/api/agent/session/${sessionId}`));
  expect(response.headers.get("x-session-incarnation")).toBe(reading.incarnation);
});

test("an agent beside a session that is another agent's is refused", async () => {
  const world = await createWorld([say("Hi"), say("Again")]);
  const { sessionId } = await world.execute({ input: "Hello" });

  const stranger = { sessionId, input: "Go", agent: "no-such-agent" };
  const refusal = await errorOf(await world.post("/api/agent/execute", stranger));
  const { complete } = await world.execute({ sessionId, input: "Go", agent: "helper" });

  expect(refusal).toEqual({ status: 400, code: "invalid_request", paths: ["agent"] });
  expect(complete).toMatchObject({ status: "completed" });
});

test("a turn under way at one server ends for its readers when another deletes and begins again", async () => {
  const repository = memoryRepository();
  const here = await createWorld([stall()], { repository });
  const there = await createWorld([callTool("none"), say("Fresh")], { repository });
  const body = { sessionId: "chat", input: "Old", id: "o1", context: {} };
  const running = new StreamReader(await here.post("/api/agent/execute", body));
  await running.until("turn_start");

  await there.request(path, { method: "DELETE" });
  await there.execute({ sessionId: "chat", input: "Fresh start", id: "n1", context: {} });
  const rest = await running.rest();

  expect(rest.at(-1)?.data).toEqual({ type: "stream_end", reason: "deleted" });
  expect(await textsAt(here)).toContain("Fresh start");
});
