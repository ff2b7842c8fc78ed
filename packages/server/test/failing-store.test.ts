/** What is no client's fault: it is told to whoever runs the server, and the client learns nothing of it. */
import type { MemoryRepository, SessionRepository } from "@capstan/log";
import { RepositoryError, memoryRepository } from "@capstan/log";
import { say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { StreamReader } from "./sse.ts";
import { createWorld, errorOf } from "./world.ts";

const secret = "disk /var/secret is full";

const post = (): never => {
  throw new RepositoryError("unavailable", "s", secret);
};

test("a store that fails is 503, with the advice to send it again, and without what it said", async () => {
  const memory = memoryRepository();
  const repository: SessionRepository = { ...memory, post };
  const world = await createWorld([], { repository });

  const response = await world.post("/api/agent/execute", { input: "Hi" });
  const text = await response.text();

  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(text).toContain('"code":"unavailable"');
  expect(text).not.toContain("secret");
  expect(world.faults).toHaveLength(1);
});

test("a way to authenticate that fails is 500 without a word, and somebody is told, whatever they do with it", async () => {
  const told: unknown[] = [];
  const world = await createWorld([], {
    server: {
      authenticate: () => {
        throw new Error(secret);
      },
      onError(thrown) {
        told.push(thrown);
        throw new Error("and I fail too");
      },
    },
  });

  const response = await world.request("/metrics");

  expect(await errorOf(response)).toEqual({ status: 500, code: "internal", paths: [] });
  expect(told).toMatchObject([{ message: secret }]);
});

test("a turn that fails is a stream that says so", async () => {
  const world = await createWorld([say("Hi")]);
  await world.execute({ sessionId: "k", input: "Hi", context: {} });

  const { complete } = await world.execute({ sessionId: "k", input: "Beyond the script" });

  expect(complete).toMatchObject({ status: "error", error: { code: "protocol" } });
  expect(world.faults).toEqual([]);
});

test("a session that had to be set aside is listed so, counted, and tells clients nothing of why", async () => {
  const memory = memoryRepository();
  const append: SessionRepository["append"] = (id, entries, options) => {
    if (entries.length > 0) throw new RepositoryError("invalid_entry", id, secret);
    return memory.append(id, entries, options);
  };
  const post: SessionRepository["post"] = (id, entry, options) => {
    if (options?.start !== undefined) throw new RepositoryError("invalid_entry", id, secret);
    return memory.post(id, entry, options);
  };
  const world = await createWorld([say("Hi")], { repository: { ...memory, append, post } });
  await world.execute({ sessionId: "k", input: "Hi", context: {} });

  const list = await (await world.request("/api/agent/sessions")).text();
  const metrics = await (await world.request("/metrics")).text();

  expect(list).toContain('"setAside":{"at":');
  expect(list).not.toContain("secret");
  expect(metrics).toContain("capstan_sessions_set_aside 1");
});

/** A session that was set aside for a reason that is none of its clients' business. */
async function sessionSetAside(toRepository: (memory: MemoryRepository) => SessionRepository) {
  const memory = memoryRepository();
  const world = await createWorld([say("Hi")], { repository: toRepository(memory) });
  const { sessionId } = await world.execute({ input: "Hi" });
  const claim = memory.acquire(sessionId, "test", 60_000);
  const { lease, head } = claim as NonNullable<typeof claim>;
  memory.append(sessionId, [], { lease, head: { ...head, setAside: { reason: secret, at: 1 } } });
  memory.release(lease);
  return { world, sessionId };
}

test("a turn of a session that was set aside is refused, and the client is told whom to ask, not why", async () => {
  const { world, sessionId } = await sessionSetAside((memory) => memory);

  const refused = await world.post("/api/agent/execute", { sessionId, input: "Again" });
  const text = await refused.text();

  expect(refused.status).toBe(409);
  expect(text).toContain('"code":"set_aside"');
  expect(text).toContain("until its operator releases it");
  expect(text).not.toContain("secret");
});

test("a turn whose session is found to be set aside later ends so, and the client is told no more", async () => {
  const gate = Promise.withResolvers<void>();
  const { world, sessionId } = await sessionSetAside((memory) => ({
    ...memory,
    // A store that cannot claim the session with a post.
    post: (id, entry) => memory.post(id, entry),
    acquire: async (...args) => {
      const isSetAside = memory.list().sessions[0]?.head.setAside !== undefined;
      if (isSetAside) await gate.promise;
      return memory.acquire(...args);
    },
  }));

  const begun = await world.post("/api/agent/execute", { sessionId, input: "Again" });
  gate.resolve();
  const { data } = await new StreamReader(begun).until("execute_complete");

  const message: unknown = expect.stringContaining("until its operator releases it");
  expect(data).toMatchObject({ status: "error", error: { code: "set_aside", message } });
  expect(JSON.stringify(data)).not.toContain("secret");
});

/** A world whose store breaks its contract from the second turn's first reply on: not even the end of the turn can be recorded. */
async function worldThatBreaks() {
  const memory = memoryRepository();
  const state = { isBreaking: false, isBroken: false };
  const append: SessionRepository["append"] = (id, entries, options) => {
    state.isBroken ||= state.isBreaking && entries.some(({ type }) => type === "message");
    if (state.isBroken && entries.length > 0) throw new TypeError(secret);
    return memory.append(id, entries, options);
  };
  const world = await createWorld([say("Hi"), say("Again")], { repository: { ...memory, append } });
  await world.execute({ sessionId: "k", input: "Hi", context: {} });
  state.isBreaking = true;
  return world;
}

test("the stream of a turn whose end cannot be recorded ends in an error, and tells clients nothing of why", async () => {
  const world = await worldThatBreaks();

  const { frames, complete } = await world.execute({ sessionId: "k", input: "Again" });

  expect(frames.map(({ data }) => data.type)).toContain("turn_start");
  expect(complete).toMatchObject({
    type: "execute_complete",
    status: "error",
    error: { code: "engine_failed" },
  });
  expect(JSON.stringify(frames)).not.toContain("secret");
});

test("the stream of a turn whose session is closed in the process of the server ends, and the client looks elsewhere", async () => {
  const world = await createWorld([say("Hi"), stall()]);
  await world.execute({ sessionId: "k", input: "Hi", context: {} });
  const begun = await world.post("/api/agent/execute", { sessionId: "k", input: "Again" });
  const reader = new StreamReader(begun);
  await reader.until("turn_start");

  const [listed] = (await world.host.list()).sessions;
  await (await world.host.open(listed?.id ?? "")).close();

  const { data } = await reader.until("stream_end");
  expect(data).toMatchObject({ reason: "closing" });
});
