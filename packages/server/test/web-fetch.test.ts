/** The server without a socket: any runtime that has `Request` and `Response`. */
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { bearerTokens, createServer } from "@capstan/server";
import { reply, say, scriptedProvider, stall } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { StreamReader, readFrames, typesOf } from "./sse.ts";

const token = "ann-0123456789abcdef";

function createFetch(script: Parameters<typeof scriptedProvider>[0]) {
  const model = scriptedProvider(script);
  const agent = createAgent({ name: "helper", model });
  const repository = memoryRepository({ now: Date.now });
  const host = createHost({ agents: [agent], repository });
  const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
  onTestFinished(() => server.close());
  const post = (path: string, body: object): Promise<Response> =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  return { server, model, post };
}

test("a request becomes a response that streams", async () => {
  const { post } = createFetch([say(["Hel", "lo"])]);

  const response = await post("/api/agent/execute", { input: "Hi" });
  const frames = await Array.fromAsync(readFrames(response));

  expect(response.status).toBe(200);
  expect(typesOf(frames)).toContain("text_delta");
  expect(typesOf(frames).at(-1)).toBe("execute_complete");
});

test("leaving the stream stops nothing, and a cancel does", async () => {
  const { post, model } = createFetch([reply(say("Half"), stall())]);
  const running = new StreamReader(await post("/api/agent/execute", { input: "Hi", id: "t1" }));
  await running.until("text_delta");
  const sessionId = running.response.headers.get("x-session-id") ?? "";

  await running.leave();
  const stillOpen = model.openStreams;
  const follow = new StreamReader(
    await post(`/api/agent/session/${sessionId}/cancel`, { turnId: "t1" }),
  );

  expect(stillOpen).toBe(1);
  expect(follow.response.status).toBe(202);
});

test("a name that is not the machine's own is refused, also where only the address has it", async () => {
  const { server } = createFetch([]);
  const headers = { authorization: `Bearer ${token}` };

  const response = await server.fetch(new Request("http://evil.example/metrics", { headers }));

  expect(response.status).toBe(403);
});

test("a large reply passes through a reader that takes its time", async () => {
  const words = Array.from({ length: 3_000 }, (_, n) => `some words, number ${n}. `);
  const { post } = createFetch([say(words)]);
  const response = await post("/api/agent/execute", { input: "Hi" });

  const frames = await Array.fromAsync(readFrames(response), async (frame) => {
    await Promise.resolve();
    return frame;
  });

  const message = frames.findLast(({ data }) => data.type === "message_end");
  expect(message?.data["message"]).toMatchObject({ content: [{ text: words.join("") }] });
  expect(typesOf(frames).at(-1)).toBe("execute_complete");
});

test("a server that closes refuses requests, says that it is not ready, and is still alive", async () => {
  const { server, post } = createFetch([]);
  const get = (path: string): Promise<Response> =>
    server.fetch(new Request(`http://10.0.0.1:8080${path}`));
  const before = await get("/readyz");

  const closing = server.close();
  const [ready, alive, refused] = await Promise.all([
    get("/readyz"),
    get("/healthz"),
    post("/api/agent/execute", { input: "Hi" }),
  ]);
  await closing;

  expect(before.status).toBe(200);
  expect([ready.status, alive.status, refused.status]).toEqual([503, 200, 503]);
  expect(await refused.json()).toMatchObject({ error: { code: "closing" } });
});
