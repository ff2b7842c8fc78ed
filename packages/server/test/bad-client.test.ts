/** One client that takes what it can get: the others do not notice. */
import { RepositoryError, memoryRepository } from "@capstan/log";
import type { SessionRepository } from "@capstan/log";
import { say } from "@capstan/testing";
import { connect } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { headOf, openSocket } from "./raw-socket.ts";
import { createWorld, errorOf, tokens } from "./world.ts";

const path = "/api/agent/execute";

function headersOf(token: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "transfer-encoding": "chunked",
  };
}

test("a socket whose client ignores that its time is over is destroyed", async () => {
  const world = await createWorld([], { serve: { headersTimeoutMs: 50 } });
  const socket = connect({ port: world.node.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");

  socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  socket.resume();
  await once(socket, "end");
  // It never closes its half. A server that has let go of the socket resets what is sent to it.
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  const sending = setInterval(() => socket.write("x"), 20);
  await closed;
  clearInterval(sending);

  expect(socket.destroyed).toBe(true);
});

test("bodies under way are bounded for each principal, and for all of them", async () => {
  const limits = { maxBodyBytesPerPrincipal: 3_000, maxBodyBytesInAll: 4_000 };
  const world = await createWorld([say("Hi")], { server: { limits } });
  const held = await openSocket(world.node.port);
  const piece = `{"input":"${"x".repeat(2_000)}`;
  held.write(`${headOf("POST", path, headersOf(tokens.ann))}${toChunk(piece)}`);
  await untilHeld(() => errorOfPost(world, tokens.ann, 1_500));

  const own = await errorOfPost(world, tokens.ann, 1_500);
  const other = await errorOfPost(world, tokens.bob, 2_500);
  held.destroy();
  await untilFree(() => errorOfPost(world, tokens.bob, 2_500));

  expect(own).toMatchObject({ status: 429, code: "too_many_bytes" });
  expect(other).toMatchObject({ status: 503, code: "busy" });
});

test.each([
  ["nested too deeply", `{"input":${"[".repeat(200)}`, "nested deeper than 100 levels"],
  ["of too many values", `{"input":[${"[],".repeat(20_001)}`, "more than 20000 values"],
])("a body %s is refused before its end has come", async (_, beginning, problem) => {
  const world = await createWorld([]);
  const socket = await openSocket(world.node.port);

  socket.write(`${headOf("POST", path, headersOf(tokens.ann))}${toChunk(beginning)}`);
  const [answer] = (await once(socket, "data")) as [Buffer];

  expect(String(answer)).toContain("HTTP/1.1 400");
  expect(String(answer)).toContain(problem);
});

test("a store that is away is 503 at every address", async () => {
  const memory = memoryRepository();
  let isAway = false;
  const failing = new Set(["read", "list", "delete", "post", "create", "acquire", "append"]);
  const repository = new Proxy<SessionRepository>(memory, {
    get(target, name) {
      if (!isAway || !failing.has(String(name))) return Reflect.get(target, name, target);
      return () => {
        throw new RepositoryError("unavailable", "s", "the disk /var/secret is gone");
      };
    },
  });
  const world = await createWorld([say("Hi")], { repository });
  const { sessionId } = await world.execute({ input: "Hi" });
  const own = `/api/agent/session/${sessionId}`;
  isAway = true;

  const responses = [
    await world.request(own),
    await world.request("/api/agent/session/unknown"),
    await world.request("/api/agent/sessions"),
    await world.post(`${own}/fork`, {}),
    await world.post(`${own}/steer`, { input: "Hi" }),
    await world.post(path, { sessionId, input: "Hi" }),
    await world.request(own, { method: "DELETE" }),
  ];

  const errors = await Promise.all(responses.map(errorOf));
  expect(errors).toEqual(errors.map(() => ({ status: 503, code: "unavailable", paths: [] })));
});

test("another principal's session is 404 in every state, also where it cannot be opened here", async () => {
  const world = await createWorld([say("Hi")]);
  const at = { v: 1, at: 1 } as const;
  const head = { status: "idle", seen: 1, updatedAt: 1, principal: "ann" } as const;
  const foreign = { type: "created", id: "c", ...at, agent: "gone", principal: "ann" } as const;
  world.repository.create("gone", [foreign], { ...head, agent: "gone" });
  const created = { type: "created", id: "d", ...at, agent: "helper", principal: "ann" } as const;
  const broken = { type: "turn_started", id: "t", ...at } as never;
  world.repository.create("broken", [created, broken], { ...head, agent: "helper" });
  const statusOf = async (id: string, token: string): Promise<number> =>
    (await world.request(`/api/agent/session/${id}`, {}, token)).status;

  expect([await statusOf("gone", tokens.ann), await statusOf("broken", tokens.ann)]).toEqual([
    409, 500,
  ]);
  expect([await statusOf("gone", tokens.bob), await statusOf("broken", tokens.bob)]).toEqual([
    404, 404,
  ]);
});

function toChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

type Refusal = Awaited<ReturnType<typeof errorOf>> | undefined;

async function errorOfPost(
  world: Awaited<ReturnType<typeof createWorld>>,
  token: string,
  length: number,
): Promise<Refusal> {
  // Not what the endpoint takes: that is found behind the limits, and starts nothing.
  const response = await world.post(path, { input: 5, padding: "x".repeat(length) }, token);
  return errorOf(response);
}

/** The server reads what was sent when it comes to it. */
async function untilHeld(ask: () => Promise<Refusal>): Promise<void> {
  while ((await ask())?.code !== "too_many_bytes");
}

async function untilFree(ask: () => Promise<Refusal>): Promise<void> {
  while ((await ask())?.code === "busy");
}

test("a body with too many items is refused before each of them is checked", async () => {
  const world = await createWorld([]);
  const item = { type: "text", text: "a" };
  const many = Array.from({ length: 2_001 }, () => item);

  const parts = await errorOf(await world.post("/api/agent/execute", { input: many }));
  const wrong = await errorOf(
    await world.post("/api/agent/execute", { input: { role: "user", content: many.map(() => 1) } }),
  );

  expect(parts).toEqual({ status: 400, code: "invalid_request", paths: [] });
  expect(wrong).toEqual({ status: 400, code: "invalid_request", paths: [] });
});
