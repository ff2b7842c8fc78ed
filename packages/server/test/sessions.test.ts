/** Sessions as wholes over HTTP: the list, one of them, queues, forks, the end. */
import { callTool, deferredTool, reply, say, stall } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { StreamReader, typesOf } from "./sse.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const base = "/api/agent/session";

interface Page {
  readonly sessions: readonly { readonly sessionId: string; readonly title?: string }[];
  readonly next?: string;
}

describe("the list", () => {
  test("gives the caller's own sessions in pages, newest first", async () => {
    const world = await createWorld([say("1"), say("2"), say("3"), say("4")]);
    const first = await world.execute({ input: "One" });
    const second = await world.execute({ input: "Two" });
    const third = await world.execute({ input: "Three" });
    await world.execute({ input: "Bob's" }, tokens.bob);
    const page = async (query: string): Promise<Page> =>
      (await (await world.request(`/api/agent/sessions${query}`)).json()) as Page;

    const newest = await page("?limit=2");
    const oldest = await page(`?limit=2&after=${encodeURIComponent(newest.next ?? "")}`);
    const none = await page("?status=error");

    const ids = [...newest.sessions, ...oldest.sessions].map(({ sessionId }) => sessionId);
    expect(newest.sessions).toHaveLength(2);
    expect(oldest.next).toBeUndefined();
    expect(ids.toSorted()).toEqual(
      [first, second, third].map(({ sessionId }) => sessionId).toSorted(),
    );
    expect(newest.sessions[0]).toMatchObject({ status: "completed", agent: "helper" });
    expect(none.sessions).toEqual([]);
  });

  test.each(["?limit=0", "?limit=999", "?limit=x", "?status=odd", "?who=bob", "?limit=1&limit=2"])(
    "refuses %s",
    async (query) => {
      const world = await createWorld([]);

      const refused = await errorOf(await world.request(`/api/agent/sessions${query}`));

      expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    },
  );
});

test("what an agent is told is not for its users", async () => {
  const world = await createWorld([say("Hi")], { agent: { instructions: "SECRET words" } });
  const { sessionId, frames } = await world.execute({ input: "Hi" });

  const body = await (await world.request(`${base}/${sessionId}`)).text();

  expect(world.provider.requests[0]?.options.systemPrompt).toBe("SECRET words");
  expect(body).not.toContain("SECRET");
  expect(JSON.stringify(frames)).not.toContain("SECRET");
});

test("sessions of somebody else are not there, whatever is asked of them", async () => {
  const world = await createWorld([say("Hi"), say("Hi")]);
  const { sessionId } = await world.execute({ sessionId: "mine", input: "Hi", context: {} });
  const answer = { toolCallId: "c", output: "x" };
  const bodies = {
    steer: { input: "x" },
    "follow-up": { input: "x" },
    answers: { answers: [answer] },
    claims: { toolCallId: "c", client: "x" },
    cancel: { turnId: "t" },
    fork: {},
  };

  const refused = await Promise.all([
    ...[sessionId, "mine", "nothing"].flatMap((id) => [
      world.request(`${base}/${id}`, {}, tokens.bob),
      world.request(`${base}/${id}/events`, {}, tokens.bob),
      world.request(`${base}/${id}`, { method: "DELETE" }, tokens.bob),
    ]),
    ...Object.entries(bodies).map(([name, body]) =>
      world.post(`${base}/${sessionId}/${name}`, body, tokens.bob),
    ),
  ]);

  const errors = await Promise.all(refused.map(errorOf));
  expect(new Set(errors.map(({ status, code }) => `${status} ${code}`))).toEqual(
    new Set(["404 not_found"]),
  );
  expect((await world.request(`${base}/${sessionId}`)).status).toBe(200);
});

test("the key of a client opens its session everywhere", async () => {
  const world = await createWorld([say("Hi")]);
  const { sessionId } = await world.execute({ sessionId: "mine", input: "Hi", context: {} });

  const byKey = (await (await world.request(`${base}/mine`)).json()) as object;

  expect(byKey).toMatchObject({ sessionId, status: "completed" });
});

test("steering reaches the turn, a follow-up comes after it, and the same id twice is one", async () => {
  const tool = deferredTool();
  const world = await createWorld([callTool("deferred", {}), say("Steered"), say("Followed")], {
    tools: [tool],
  });
  const running = new StreamReader(await world.post("/api/agent/execute", { input: "Hi" }));
  const sessionId = running.response.headers.get("x-session-id") ?? "";
  const [call] = await tool.whenStarted();
  const path = `${base}/${sessionId}`;

  const steered = await world.post(`${path}/steer`, { input: "Faster", id: "s1" });
  await world.post(`${path}/steer`, { input: "Faster", id: "s1" });
  const queued = await world.post(`${path}/follow-up`, { input: "And then?", id: "f1" });
  tool.resolve(call?.toolCallId ?? "", "ok");
  const frames = await running.rest();
  const session = await world.host.open(sessionId);
  await session.waitForIdle();

  expect([steered.status, queued.status]).toEqual([202, 202]);
  expect(await steered.json()).toEqual({ id: "s1" });
  expect(frames.find(({ data }) => data.type === "steering_delivered")?.data["ids"]).toEqual([
    "s1",
  ]);
  const said = session.messages.flatMap((message) =>
    message.role === "user" ? [message.content] : [],
  );
  expect(said).toEqual(["Hi", "Faster", "And then?"]);
});

test("a fork has the past of its original and is the caller's own", async () => {
  const world = await createWorld([say("One"), say("Two"), say("Other")]);
  const { sessionId } = await world.execute({ input: "First", id: "t1" });
  await world.execute({ sessionId, input: "Second" });

  const forked = await world.post(`${base}/${sessionId}/fork`, { at: "t1_1" });
  const { sessionId: id } = (await forked.json()) as { readonly sessionId: string };
  await world.execute({ sessionId: id, input: "Else" });
  const refused = await errorOf(await world.post(`${base}/${sessionId}/fork`, { at: "nothing" }));

  expect(forked.status).toBe(201);
  expect(forked.headers.get("x-session-id")).toBe(id);
  expect(world.provider.requests[2]?.messages).toMatchObject([
    { content: "First" },
    { role: "assistant" },
    { content: "Else" },
  ]);
  expect(refused).toMatchObject({ status: 400, code: "invalid_input" });
});

test("a session that is deleted is gone, its turn stops, and its readers are told", async () => {
  const world = await createWorld([reply(say("Half"), stall())]);
  const running = new StreamReader(await world.post("/api/agent/execute", { input: "Hi" }));
  await running.until("text_delta");
  const sessionId = running.response.headers.get("x-session-id") ?? "";

  const deleted = await world.request(`${base}/${sessionId}`, { method: "DELETE" });
  const rest = await running.rest();
  const gone = await errorOf(await world.request(`${base}/${sessionId}`));

  expect(deleted.status).toBe(204);
  expect(typesOf(rest).at(-1)).toBe("stream_end");
  expect(rest.at(-1)?.data["reason"]).toBe("deleted");
  expect(gone).toMatchObject({ status: 404, code: "not_found" });
  expect(world.provider.openStreams).toBe(0);
});
