/** How much one client may ask for. */
import type { ListQuery, SessionPage } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { manualClock, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { headOf, openSocket, readAll } from "./raw-socket.ts";
import { StreamReader } from "./sse.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const path = "/api/agent/execute";

test("a body above the limit is refused, whether it says so or is found to be", async () => {
  const world = await createWorld([], { server: { limits: { maxBodyBytes: 1_000 } } });
  const input = "x".repeat(2_000);
  const said = await world.post(path, { input });
  const socket = await openSocket(world.node.port);
  const headers = {
    authorization: `Bearer ${tokens.ann}`,
    "content-type": "application/json",
    "transfer-encoding": "chunked",
    connection: "close",
  };

  socket.write(`${headOf("POST", path, headers)}7d0\r\n${input}\r\n0\r\n\r\n`);
  const found = await readAll(socket);

  expect(await errorOf(said)).toMatchObject({ status: 413, code: "body_too_large" });
  expect(found).toContain("HTTP/1.1 413");
  expect(found).toContain('"code":"body_too_large"');
});

test("more requests than allowed are refused until time has passed, for this principal alone", async () => {
  const clock = manualClock(1_000);
  const world = await createWorld([], { server: { clock, limits: { requestsPerMinute: 2 } } });
  const ask = (token?: string): Promise<Response> => world.request("/metrics", {}, token);
  await ask();
  await ask();

  const refused = await ask();
  const other = await ask(tokens.bob);
  await clock.advance(30_000);
  const later = await ask();

  expect(Number(refused.headers.get("retry-after"))).toBe(30);
  expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
  expect([other.status, later.status]).toEqual([200, 200]);
});

test("a principal has so many sessions and no more, also at the same moment; deleting one makes room", async () => {
  const memory = memoryRepository();
  const third = Promise.withResolvers<void>();
  let calls = 0;
  /** As a database may: the second answer is old when it comes. */
  const list = async (query?: ListQuery): Promise<SessionPage> => {
    const page = memory.list(query);
    calls += 1;
    if (calls === 3) third.resolve();
    if (calls === 2) await third.promise;
    return page;
  };
  const world = await createWorld([say("1"), say("2"), say("3")], {
    repository: { ...memory, list },
    server: { limits: { sessionsPerPrincipal: 2 } },
  });
  const { sessionId } = await world.execute({ input: "Hi" });

  const both = await Promise.all([
    world.post(path, { input: "Hi" }),
    world.post(path, { input: "Hi" }),
  ]);
  const fork = await errorOf(await world.post(`/api/agent/session/${sessionId}/fork`, {}));
  await world.request(`/api/agent/session/${sessionId}`, { method: "DELETE" });
  const after = await world.post(path, { input: "Hi" });

  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(fork).toMatchObject({ status: 429, code: "too_many_sessions" });
  expect(after.status).toBe(200);
});

test("sessions without a limit are not counted", async () => {
  const repository = memoryRepository();
  const world = await createWorld([say("1")], {
    repository: {
      ...repository,
      list() {
        throw new Error("nobody needs to know");
      },
    },
    server: { limits: { sessionsPerPrincipal: Infinity } },
  });

  const { status } = await world.post(path, { input: "Hi" });

  expect(status).toBe(200);
});

test("a principal has so many open streams and no more; one that is left makes room", async () => {
  const world = await createWorld([say("Hi")], { server: { limits: { streamsPerPrincipal: 2 } } });
  const { sessionId } = await world.execute({ input: "Hi" });
  const follow = (): Promise<Response> => world.request(`/api/agent/session/${sessionId}/events`);
  const first = new StreamReader(await follow());
  await first.until("stream_start");
  const second = new StreamReader(await follow());

  const refused = await errorOf(await follow());
  await first.leave();
  const room = async (): Promise<number> => {
    const response = await follow();
    if (response.status === 200) return response.status;
    await response.text();
    return room();
  };
  const after = await room();

  expect(second.response.status).toBe(200);
  expect(refused).toMatchObject({ status: 429, code: "too_many_streams" });
  expect(after).toBe(200);
});

test("a session that nobody asks for is let go of, and is there again when somebody does", async () => {
  const clock = manualClock(1_000);
  const world = await createWorld([say("One"), say("Two")], {
    server: { clock, limits: { idleSessionMs: 5_000 } },
  });
  const { sessionId } = await world.execute({ input: "Hi" });
  const kept = async (): Promise<string> => (await world.request("/metrics")).text();
  const before = await kept();

  await clock.advance(5_000);
  const after = await kept();
  const again = await world.execute({ sessionId, input: "Still there?" });

  expect(before).toContain("capstan_sessions_in_memory 1");
  expect(after).toContain("capstan_sessions_in_memory 0");
  expect(again.complete).toMatchObject({ status: "completed" });
  expect(world.provider.requests[1]?.messages).toHaveLength(3);
});

test("a turn goes on after its session was let go of, and its end is there", async () => {
  const clock = manualClock(1_000);
  const world = await createWorld([stall()], { server: { clock, limits: { idleSessionMs: 5 } } });
  const running = new StreamReader(await world.post(path, { input: "Hi", id: "t1" }));
  await running.until("attempt_start");
  const sessionId = running.response.headers.get("x-session-id") ?? "";
  await running.leave();
  const free = async (): Promise<void> => {
    const text = await (await world.request("/metrics")).text();
    await clock.advance(5);
    if (!text.includes("sessions_in_memory 0")) await free();
  };
  await free();

  const running2 = world.provider.openStreams;
  const cancelled = await world.post(`/api/agent/session/${sessionId}/cancel`, { turnId: "t1" });
  await (await world.host.open(sessionId)).waitForIdle();

  expect(running2).toBe(1);
  expect(cancelled.status).toBe(202);
  expect(world.provider.openStreams).toBe(0);
});

test("an idle stream says that it is alive, by the injected clock", async () => {
  const clock = manualClock(1_000);
  const world = await createWorld([say("Hi")], { server: { clock } });
  const { sessionId } = await world.execute({ input: "Hi" });
  const socket = await openSocket(world.node.port);
  let text = "";
  const heard = Promise.withResolvers<void>();
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
    if (text.includes("\n:\n\n")) heard.resolve();
  });
  const authorization = `Bearer ${tokens.ann}`;
  socket.write(headOf("GET", `/api/agent/session/${sessionId}/events`, { authorization }));
  const opened = async (): Promise<void> => {
    await new Promise(setImmediate);
    if (!text.includes("stream_start")) await opened();
  };
  await opened();

  await clock.advance(15_000);
  const soon = text.includes("\n:\n\n");
  await clock.advance(15_000);
  await heard.promise;

  // It had just said something.
  expect(soon).toBe(false);
  expect(text).toContain("stream_start");
});
